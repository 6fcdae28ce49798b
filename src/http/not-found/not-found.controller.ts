import { All, Controller, HttpCode, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { allowedMethods } from './allowed-methods.js';
import { MethodNotAllowed, RouteNotFound, UndecodablePath } from './route.errors.js';
import { AnyRequest } from '../route-metadata.js';
import { UNDECODABLE } from './undecodable-path.js';

/**
 * Whatever no other route under `/v1` took. Being a route, it has the key check and the quotas before it, so a
 * 404, a 405 and an OPTIONS carry the same headers as every other answer.
 */
@ApiExcludeController()
@AnyRequest()
@Controller({ path: ['/', '*path'], version: '1' })
export class NotFoundController {
  @All()
  @HttpCode(204)
  answer(@Req() request: Request, @Res({ passthrough: true }) response: Response): void {
    const { path } = request;
    if (path === UNDECODABLE) throw new UndecodablePath();
    const allowed = allowedMethods(request.app, path);
    if (allowed.length === 0) throw new RouteNotFound(path);
    response.setHeader('Allow', allowed.join(', '));
    if (request.method !== 'OPTIONS') throw new MethodNotAllowed(request.method, path, allowed);
  }
}
