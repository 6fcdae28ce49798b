import { createRequire } from 'node:module';
import { Controller, Get, Param, Req, Res, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../http/route/public.decorator.js';
import { securityHeaders } from '../../http/static/security-headers.js';
import { StaticFolder } from '../../http/static/static-folder.js';
import { DocumentBudgetGuard } from '../../rate-limit/document-budget.guard.js';
import { pageBeside, pageFiles } from '../page-files.js';

const { resolve } = createRequire(import.meta.url);
const FOLDER = new URL('browser/', import.meta.url);
/** The files of Redoc, which the build copies to dist/. */
const REDOC = ['redoc.standalone.js', 'redoc.standalone.js.LICENSE.txt'];

/** The reference at `/reference`, rendered by Redoc. Serves only the files that the page loads. */
@Public()
@UseGuards(DocumentBudgetGuard)
@ApiExcludeController()
@Controller('reference')
export class ReferenceController {
  private readonly files = new StaticFolder(
    () =>
      pageFiles(
        FOLDER,
        REDOC.map((name) => resolve(`#dist/redoc/${name}`)),
      ),
    pageBeside(FOLDER, 'reference'),
    securityHeaders({ workers: true }), // for its search
  );

  @Get()
  page(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.files.sendPage(request, response);
  }

  @Get(':file')
  file(@Param('file') name: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.files.sendFile(name, request, response);
  }
}
