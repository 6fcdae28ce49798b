import { Controller, Get, Header, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { asPublicPath, PublicUrl } from '../../../http/core/public-url.js';
import { Public } from '../../../http/core/public.decorator.js';
import { service } from '../../../kernel/config/service.js';
import { ErrorCatalog } from '../error-catalog/error-catalog.js';
import { catalogPage } from '../error-catalog/page.js';
import { FixedContent, sendFixed } from './fixed-content.js';
import { OpenApiDocument } from './openapi-document.js';

/** The start page: redirects a browser to the documentation; other clients get links. */
@Public()
@ApiExcludeController()
@Controller()
export class IndexController {
  constructor(private readonly publicUrl: PublicUrl) {}

  @Get()
  index(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): ReturnType<typeof linksAt> | undefined {
    response.vary('Accept');
    if (request.accepts('json', 'html') !== 'html') return linksAt(this.publicUrl.base);
    response.redirect(302, asPublicPath(response, '/docs'));
    return undefined;
  }
}

const linksAt = (base: string) => ({
  name: service().title,
  openapi: `${base}/openapi.json`,
  docs: `${base}/docs`,
});

/** The OpenAPI document, which pages of any origin may read, and the error catalogue. */
@Public()
@ApiExcludeController()
@Controller()
export class DocumentController {
  private page?: FixedContent;

  constructor(
    private readonly document: OpenApiDocument,
    private readonly catalog: ErrorCatalog,
  ) {}

  @Get('openapi.json')
  @Header('Access-Control-Allow-Origin', '*')
  json(@Res() response: Response): Promise<void> {
    return sendFixed(response, this.document.json);
  }

  /** The media type is registered by RFC 9512. */
  @Get('openapi.yaml')
  @Header('Access-Control-Allow-Origin', '*')
  yaml(@Res() response: Response): Promise<void> {
    return sendFixed(response, this.document.yaml);
  }

  @Get('docs/errors')
  errors(@Res() response: Response): Promise<void> {
    return sendFixed(response, (this.page ??= this.errorPage()));
  }

  private errorPage(): FixedContent {
    return new FixedContent('text/html; charset=utf-8', catalogPage(this.catalog.entries));
  }
}
