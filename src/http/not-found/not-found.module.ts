import { Module, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { NextFunction, Request, Response } from 'express';
import { NotFoundController } from './not-found.controller.js';
import { checkHost } from '../guards/host.guard.js';
import { MethodNotAllowed } from '../errors/route.errors.js';
import { allowedMethods } from './allowed-methods.js';

/**
 * For requests outside `/v1` without a route, before the 404 of Nest: 405 for a known path with another method, 204 for
 * OPTIONS. `OPTIONS *` and CONNECT concern the whole server.
 */
function notFoundOutside(request: Request, response: Response, next: NextFunction): void {
  const { app, method, path } = request;
  checkHost(request);
  const allowed = allowedMethods(app, method === 'CONNECT' || path === '*' ? undefined : path);
  if (allowed.length === 0) {
    next();
    return;
  }
  response.setHeader('Allow', allowed.join(', '));
  if (method !== 'OPTIONS') throw new MethodNotAllowed(method, path, allowed);
  response.status(204).end();
}

/** An imported module: Nest adds its routes after those of all modules in `AppModule.with()`. */
@Module({ controllers: [NotFoundController] })
class CatchAllModule {}

@Module({ imports: [CatchAllModule] })
export class NotFoundModule implements OnModuleInit {
  constructor(private readonly adapters: HttpAdapterHost) {}

  /** All routes exist by now. */
  onModuleInit(): void {
    this.adapters.httpAdapter.use(notFoundOutside);
  }
}
