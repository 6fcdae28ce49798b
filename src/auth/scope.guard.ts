import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { challenge, InsufficientScope } from './auth.errors.js';
import { requiredScopes } from './require-scope.decorator.js';

/** Rejects a key that lacks a scope of the route's `@RequireScope()`. */
@Injectable()
export class ScopeGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const required = requiredScopes(context.getHandler());
    if (required.length === 0) return true;
    const http = context.switchToHttp();
    const { principal } = http.getRequest<Request>();
    const granted = principal?.kind === 'key' ? (principal.scopes ?? required) : [];
    const missing = required.find((scope) => !granted.includes(scope));
    if (!missing) return true;
    http
      .getResponse<Response>()
      .setHeader('WWW-Authenticate', challenge({ error: 'insufficient_scope', scope: required.join(' ') }));
    throw new InsufficientScope(missing);
  }
}
