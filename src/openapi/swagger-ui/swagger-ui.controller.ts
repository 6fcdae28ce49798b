import { Controller, Get, Param, Req, Res, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Config } from '../../kernel/config/config.js';
import { Public } from '../../http/public.decorator.js';
import { DocumentBudgetGuard } from '../../rate-limit/document-budget.guard.js';
import { RouteNotFound } from '../../http/not-found/route.errors.js';
import type { StaticContent } from '../../http/static-content.js';
import { swaggerUiFiles, swaggerUiPage } from './files.js';
import { securityHeaders } from '../../http/security-headers.js';

/** The Swagger UI at `/docs`, from memory: the files that the page loads, and no others. */
@Public()
@UseGuards(DocumentBudgetGuard)
@ApiExcludeController()
@Controller('docs')
export class SwaggerUiController {
  private readonly pageOutside = swaggerUiPage('docs/');
  private readonly files = swaggerUiFiles();
  private readonly headers: ReadonlyMap<string, string>;

  constructor({ stagingPublicUrl }: Config) {
    this.headers = securityHeaders({ callable: stagingPublicUrl ? [new URL(stagingPublicUrl).origin] : [] });
  }

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
    const file = this.files.get(name);
    if (!file) throw new RouteNotFound(path);
    return file;
  }

  private send(content: StaticContent, request: Request, response: Response): Promise<void> {
    return content.send(request, response.setHeaders(this.headers as Map<string, string>));
  }
}
