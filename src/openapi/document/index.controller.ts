import { Controller, Get, Req, Res, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../http/public.decorator.js';
import { DocumentBudgetGuard } from '../../rate-limit/document-budget.guard.js';
import { PublicUrl } from '../../http/public-url.js';
import { StaticContent } from '../../http/static-content.js';

/** The start page: a browser is sent to the documentation, any other client gets links. */
@Public()
@UseGuards(DocumentBudgetGuard)
@ApiExcludeController()
@Controller()
export class IndexController {
  private links?: StaticContent;

  constructor(private readonly publicUrl: PublicUrl) {}

  @Get()
  async index(@Req() request: Request, @Res() response: Response): Promise<void> {
    response.vary('Accept');
    if (request.accepts('json', 'html') === 'html') response.redirect(302, '/docs');
    else await (this.links ??= this.makeLinks()).send(request, response);
  }

  private makeLinks(): StaticContent {
    const { base } = this.publicUrl;
    const links = {
      name: 'Pet Store',
      openapi: `${base}/openapi.json`,
      docs: `${base}/docs`,
      health: `${base}/health/ready`,
    };
    return new StaticContent('application/json', JSON.stringify(links));
  }
}
