import { All, Controller, HttpCode, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { DiscoveryService } from '@nestjs/core';
import { acceptedPatches } from '../accepted-types.js';
import { allowedMethods, patchRoute } from '../adapter/allowed-methods.js';
import { MethodNotAllowed, RouteNotFound, UndecodablePath } from '../../../kernel/errors/route.errors.js';
import { CatchAll } from './catch-all.js';
import { TOO_DEEP, UNDECODABLE } from '../middleware/before-routes.js';

/**
 * The catch-all route under `/v1`. Because it is a route, the guards run for it: a 404, a 405 and an OPTIONS
 * need a key, count against the quota and have the usual headers.
 */
@ApiExcludeController()
@CatchAll(true)
@Controller({ path: ['/', '*path'], version: '1' })
export class NotFoundController {
  private patches?: ReadonlyMap<string, string>;

  constructor(private readonly discovery: DiscoveryService) {}

  @All()
  @HttpCode(204)
  notFound(@Req() request: Request, @Res({ passthrough: true }) response: Response): void {
    const { path } = request;
    if (path === UNDECODABLE) throw new UndecodablePath();
    if (path === TOO_DEEP) throw new RouteNotFound(request.originalUrl.replace(/\?.*/s, ''));
    const allowed = allowedMethods(request, path);
    if (allowed.length === 0) throw new RouteNotFound(path);
    response.setHeader('Allow', allowed.join(', '));
    if (request.method !== 'OPTIONS') throw new MethodNotAllowed(request.method, path, allowed);
    if (!allowed.includes('PATCH')) return;
    this.patches ??= acceptedPatches(this.discovery);
    const types = this.patches.get(patchRoute(request.app, path) ?? '');
    if (types !== undefined) response.setHeader('Accept-Patch', types);
  }
}
