import { createRequire } from 'node:module';
import { Controller, Get, Param, Req, Res, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { HttpConfig } from '../../http/http.config.js';
import { Public } from '../../http/route/public.decorator.js';
import { DocumentBudgetGuard } from '../../rate-limit/document-budget.guard.js';
import { PublicUrl } from '../../http/public-url.js';
import { securityHeaders } from '../../http/static/security-headers.js';
import { StaticFolder } from '../../http/static/static-folder.js';
import { OpenApiDocument } from '../document/openapi-document.js';
import { pageBeside, pageFiles } from '../page-files.js';
import { uiDocument } from './ui-document.js';

const { resolve } = createRequire(import.meta.url);
const FOLDER = new URL('browser/', import.meta.url);
/** The files that the page loads, and the licences of its script. */
const LIBRARY = [
  'swagger-ui.css',
  'swagger-ui-bundle.js',
  'swagger-ui-bundle.js.LICENSE.txt',
  'favicon-16x16.png',
  'favicon-32x32.png',
].map((name) => resolve(`swagger-ui-dist/${name}`));

/** The Swagger UI at `/docs`. Serves only the files that the page loads, from memory. */
@Public()
@UseGuards(DocumentBudgetGuard)
@ApiExcludeController()
@Controller('docs')
export class SwaggerUiController {
  private readonly files: StaticFolder;

  constructor({ stagingPublicUrl }: HttpConfig, publicUrl: PublicUrl, document: OpenApiDocument) {
    const callable = stagingPublicUrl ? [new URL(stagingPublicUrl).origin] : [];
    this.files = new StaticFolder(
      () => pageFiles(FOLDER, LIBRARY).set('document.json', uiDocument(document.document, publicUrl.base)),
      pageBeside(FOLDER, 'docs'),
      securityHeaders({ callable }),
    );
  }

  @Get()
  page(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.files.sendPage(request, response);
  }

  @Get(':file')
  file(@Param('file') name: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.files.sendFile(name, request, response);
  }
}
