import { Module, type OnModuleInit } from '@nestjs/common';
import { DiscoveryModule, HttpAdapterHost } from '@nestjs/core';
import type { NextFunction, Request, Response } from 'express';
import { NotFoundController } from './not-found.controller.js';
import { checkHead } from '../request-head.js';
import { MethodNotAllowed } from '../../../kernel/errors/route.errors.js';
import { allMethods, allowedMethods } from '../adapter/allowed-methods.js';

/**
 * Handles requests outside `/v1` that match no route, before Nest's 404: 204 for OPTIONS, 405 for another
 * method of a known path. `OPTIONS *` refers to the whole server.
 */
function notFoundOutside(request: Request, response: Response, next: NextFunction): void {
  const { app, method, path } = request;
  checkHead(request);
  const allowed = path === '*' ? allMethods(app) : allowedMethods(request, path);
  if (allowed.length === 0) {
    next();
    return;
  }
  response.setHeader('Allow', allowed.join(', '));
  if (method !== 'OPTIONS') throw new MethodNotAllowed(method, path, allowed);
  response.status(204).end();
}

/**
 * A module of its own, because Nest registers its routes after those of the modules in `AppModule.with()`.
 */
@Module({ imports: [DiscoveryModule], controllers: [NotFoundController] })
class CatchAllModule {}

@Module({ imports: [CatchAllModule] })
export class NotFoundModule implements OnModuleInit {
  constructor(private readonly adapters: HttpAdapterHost) {}

  /** Runs after all routes are registered. */
  onModuleInit(): void {
    this.adapters.httpAdapter.use(notFoundOutside);
  }
}
