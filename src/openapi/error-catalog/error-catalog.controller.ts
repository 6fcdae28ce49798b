import { Controller, Get, Req, Res, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../http/route/public.decorator.js';
import { StaticContent } from '../../http/static/static-content.js';
import { DocumentBudgetGuard } from '../../rate-limit/document-budget.guard.js';
import { securityHeaders } from '../../http/static/security-headers.js';
import { ErrorCatalog } from './error-catalog.service.js';
import { catalogPage } from './page.js';

/** The error catalogue at `/docs/errors`. The `type` of each problem (RFC 9457) is a URL of an entry. */
@Public()
@UseGuards(DocumentBudgetGuard)
@ApiExcludeController()
@Controller('docs/errors')
export class ErrorCatalogController {
  private readonly headers = securityHeaders() as Map<string, string>;
  private page?: StaticContent;

  constructor(private readonly catalog: ErrorCatalog) {}

  @Get()
  show(@Req() request: Request, @Res() response: Response): Promise<void> {
    this.page ??= new StaticContent('text/html; charset=utf-8', catalogPage(this.catalog.entries));
    return this.page.send(request, response.setHeaders(this.headers));
  }
}
