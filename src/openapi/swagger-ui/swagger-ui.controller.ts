import { Controller, Get, Param, Req, Res, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { HttpConfig } from '../../http/http.config.js';
import { Public } from '../../http/route/public.decorator.js';
import { DocumentBudgetGuard } from '../../rate-limit/document-budget.guard.js';
import { StaticFolder } from '../../http/static/static-folder.js';
import { OpenApiDocument } from '../document/openapi-document.js';
import { uiDocument } from './ui-document.js';
import { swaggerUiFiles, swaggerUiPage } from './files.js';
import { securityHeaders } from '../../http/static/security-headers.js';

/** The Swagger UI at `/docs`, from memory: the files that the page loads, and no others. */
@Public()
@UseGuards(DocumentBudgetGuard)
@ApiExcludeController()
@Controller('docs')
export class SwaggerUiController {
  private readonly files: StaticFolder;

  constructor({ stagingPublicUrl }: HttpConfig, document: OpenApiDocument) {
    const callable = stagingPublicUrl ? [new URL(stagingPublicUrl).origin] : [];
    const files = swaggerUiFiles(); // where the package is missing, the service does not start
    this.files = new StaticFolder(
      () => files.set('document.json', uiDocument(document.document)),
      swaggerUiPage('docs/'),
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
