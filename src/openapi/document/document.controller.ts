import { Controller, Get, Header, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { SERVICE } from '../../kernel/service.js';
import { Public } from '../../http/route/public.decorator.js';
import { OpenApiDocument } from './openapi-document.js';
import { asPublicPath, PublicUrl } from '../../http/public-url.js';

/** The start page: redirects a browser to the documentation; other clients get links. */
@Public()
@ApiExcludeController()
@Controller()
export class IndexController {
  constructor(private readonly publicUrl: PublicUrl) {}

  @Get()
  index(@Req() request: Request, @Res() response: Response): void {
    response.vary('Accept');
    if (request.accepts('json', 'html') === 'html') response.redirect(302, asPublicPath(response, '/docs'));
    else response.json(linksAt(this.publicUrl.base));
  }
}

const linksAt = (base: string) => ({
  name: SERVICE.title,
  openapi: `${base}/openapi.json`,
  docs: `${base}/docs`,
  health: `${base}/health/ready`,
});

/** Serves the OpenAPI document. Pages of any origin may read it. */
@Public()
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
