import { Controller, Get, Param, Req, Res, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { RouteNotFound } from '../../http/not-found/route.errors.js';
import { Public } from '../../http/public.decorator.js';
import { securityHeaders } from '../../http/security-headers.js';
import type { StaticContent } from '../../http/static-content.js';
import { DocumentBudgetGuard } from '../../rate-limit/document-budget.guard.js';
import { referenceFiles, referencePage } from './files.js';

/** The reference at `/reference`, made by Redoc from the document: the files that the page loads, and no others. */
@Public()
@UseGuards(DocumentBudgetGuard)
@ApiExcludeController()
@Controller('reference')
export class ReferenceController {
  private readonly headers = securityHeaders({ workers: true }) as Map<string, string>; // its search runs in one
  private readonly pageOutside = referencePage('reference/');
  private read?: ReadonlyMap<string, StaticContent>;

  @Get()
  page(@Req() request: Request, @Res() response: Response): Promise<void> {
    const page = request.path.endsWith('/') ? this.find('index.html', request) : this.pageOutside;
    return this.send(page, request, response);
  }

  @Get(':file')
  file(@Param('file') name: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.send(this.find(name, request), request, response);
  }

  private find(name: string, { path }: Request): StaticContent {
    const file = (this.read ??= referenceFiles()).get(name);
    if (!file) throw new RouteNotFound(path);
    return file;
  }

  private send(content: StaticContent, request: Request, response: Response): Promise<void> {
    return content.send(request, response.setHeaders(this.headers));
  }
}
