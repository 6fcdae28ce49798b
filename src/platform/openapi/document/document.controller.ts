import { Controller, Get, Header, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { isFresh, versionOfText } from '../../conditional/etag.js';
import { asPublicPath, PublicUrl } from '../../http/public-url.js';
import { Public } from '../../http/public.decorator.js';
import { SERVICE } from '../../config/service.js';
import { ErrorCatalog } from '../error-catalog/error-catalog.js';
import { catalogPage } from '../error-catalog/page.js';
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
  name: SERVICE.title,
  openapi: `${base}/openapi.json`,
  docs: `${base}/docs`,
  health: `${base}/health/ready`,
});

/** The OpenAPI document, which pages of any origin may read, and the error catalogue. */
@Public()
@ApiExcludeController()
@Controller()
export class DocumentController {
  constructor(
    private readonly document: OpenApiDocument,
    private readonly catalog: ErrorCatalog,
  ) {}

  @Get('openapi.json')
  @Header('Access-Control-Allow-Origin', '*')
  json(@Res() response: Response): void {
    send(response, 'application/json', this.document.texts.json);
  }

  /** The media type is registered by RFC 9512. */
  @Get('openapi.yaml')
  @Header('Access-Control-Allow-Origin', '*')
  yaml(@Res() response: Response): void {
    send(response, 'application/yaml', this.document.texts.yaml);
  }

  @Get('docs/errors')
  errors(@Res() response: Response): void {
    send(response, 'text/html; charset=utf-8', catalogPage(this.catalog.entries));
  }
}

function send(response: Response, type: string, text: string): void {
  const headers = { 'Content-Type': type, 'Cache-Control': 'no-cache', ETag: versionOfText(text) };
  response.setHeaders(new Map(Object.entries(headers))); // `set()` would add a `charset`
  if (isFresh(response)) response.status(304).end();
  else response.send(Buffer.from(text));
}
