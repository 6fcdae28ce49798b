import { Controller, Get, Param, Req, Res, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../http/route/public.decorator.js';
import { securityHeaders } from '../../http/static/security-headers.js';
import { StaticFolder } from '../../http/static/static-folder.js';
import { DocumentBudgetGuard } from '../../rate-limit/document-budget.guard.js';
import { referenceFiles, referencePage } from './files.js';

/** The reference at `/reference`, made by Redoc from the document: the files that the page loads, and no others. */
@Public()
@UseGuards(DocumentBudgetGuard)
@ApiExcludeController()
@Controller('reference')
export class ReferenceController {
  private readonly files = new StaticFolder(
    referenceFiles,
    referencePage('reference/'),
    securityHeaders({ workers: true }), // its search runs in one
  );

  @Get()
  page(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.files.sendPage(request, response);
  }

  @Get(':file')
  file(@Param('file') name: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.files.sendFile(name, request, response);
  }
}
