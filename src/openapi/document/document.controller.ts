import { Controller, Get, Header, Req, Res, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../http/public.decorator.js';
import { DocumentBudgetGuard } from '../../rate-limit/document-budget.guard.js';
import { OpenApiDocument } from './openapi-document.js';

/** The OpenAPI document, which tools on pages of any origin may read. */
@Public()
@UseGuards(DocumentBudgetGuard)
@ApiExcludeController()
@Controller()
export class DocumentController {
  constructor(private readonly document: OpenApiDocument) {}

  @Get('openapi.json')
  @Header('Access-Control-Allow-Origin', '*')
  json(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.document.json.send(request, response);
  }

  @Get('openapi.yaml')
  @Header('Access-Control-Allow-Origin', '*')
  yaml(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.document.yaml.send(request, response);
  }
}
