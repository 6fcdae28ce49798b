import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { HttpConfig } from '../http/http.config.js';
import { PublicUrl } from '../http/public-url.js';
import { Public } from '../http/route/public.decorator.js';
import { OpenApiDocument } from './document/openapi-document.js';
import { ErrorCatalog } from './error-catalog/error-catalog.js';
import { catalogPage } from './error-catalog/page.js';
import { HTML, Site } from './static/site.js';
import { StaticContent } from './static/static-content.js';
import { uiDocument } from './swagger-ui/ui-document.js';

/** The files that the page loads, and the licences of its script. */
const SWAGGER_UI = [
  'swagger-ui-dist/swagger-ui.css',
  'swagger-ui-dist/swagger-ui-bundle.js',
  'swagger-ui-dist/swagger-ui-bundle.js.LICENSE.txt',
  'swagger-ui-dist/favicon-16x16.png',
  'swagger-ui-dist/favicon-32x32.png',
];
/** The build copies them to dist/. */
const REDOC = ['#dist/redoc/redoc.standalone.js', '#dist/redoc/redoc.standalone.js.LICENSE.txt'];

/**
 * The Swagger UI at `/docs`, the error catalogue at `/docs/errors`, which the `type` of each problem (RFC 9457) refers to, and
 * the reference at `/reference`, rendered by Redoc.
 */
@Public()
@ApiExcludeController()
@Controller()
export class PagesController {
  private readonly docs: Site;
  private readonly reference = new Site('reference', {
    folder: new URL('reference/browser/', import.meta.url),
    library: REDOC,
    workers: true, // for its search
  });

  constructor(
    { stagingPublicUrl }: HttpConfig,
    publicUrl: PublicUrl,
    document: OpenApiDocument,
    catalog: ErrorCatalog,
  ) {
    this.docs = new Site('docs', {
      folder: new URL('swagger-ui/browser/', import.meta.url),
      library: SWAGGER_UI,
      made: {
        'document.json': new StaticContent('application/json', () =>
          JSON.stringify(uiDocument(document.document, publicUrl.base)),
        ),
        errors: new StaticContent(HTML, () => catalogPage(catalog.entries)),
      },
      callable: stagingPublicUrl ? [new URL(stagingPublicUrl).origin] : [],
    });
  }

  @Get(['docs', 'docs/:file'])
  sendDocs(
    @Param('file') file: string | undefined,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.docs.send(file, request, response);
  }

  @Get(['reference', 'reference/:file'])
  sendReference(
    @Param('file') file: string | undefined,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.reference.send(file, request, response);
  }
}
