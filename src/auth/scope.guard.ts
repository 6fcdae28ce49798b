import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { challenge, InsufficientScope } from './auth.errors.js';
import { requiredScope } from './require-scope.decorator.js';

/** Refuses a key without the scope that the route requires by `@RequireScope()`. */
@Injectable()
export class ScopeGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const scope = requiredScope(context.getHandler());
    if (!scope) return true;
    const http = context.switchToHttp();
    const { principal } = http.getRequest<Request>();
    if (principal?.kind === 'key' && (principal.scopes?.includes(scope) ?? true)) return true;
    http
      .getResponse<Response>()
      .setHeader('WWW-Authenticate', challenge({ error: 'insufficient_scope', scope }));
    throw new InsufficientScope(scope);
  }
}
