import type { NextFunction, Request, Response } from 'express';
import { checkHost } from '../host.js';
import { MethodNotAllowed } from './route.errors.js';
import { allowedMethods } from './allowed-methods.js';

/**
 * What no route outside of `/v1` took, before Nest refuses it with 404: a known path with another method gets its 405,
 * and OPTIONS its 204. `OPTIONS *` asks about the whole server, and a CONNECT would be refused for any path.
 */
export function notFoundOutside(request: Request, response: Response, next: NextFunction): void {
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
