import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { challenge, InsufficientScope } from './auth.errors.js';
import { requirementOf } from './require-scope.decorator.js';

/** Refuses a key without the scope that the route requires by `@RequireScope()`. */
@Injectable()
export class ScopeGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const requirement = requirementOf(context.getHandler());
    if (!requirement) return true;
    const http = context.switchToHttp();
    const { principal } = http.getRequest<Request>();
    if (principal?.kind === 'key' && (principal.scopes & requirement.bit) !== 0) return true;
    const { scope } = requirement;
    http
      .getResponse<Response>()
      .setHeader('WWW-Authenticate', challenge({ error: 'insufficient_scope', scope }));
    throw new InsufficientScope(scope);
  }
}
