import {
  applyDecorators,
  type CanActivate,
  type ExecutionContext,
  Injectable,
  type OnModuleInit,
  SetMetadata,
} from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { ApiSecurity } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { ApiErrors } from '../errors/api-errors.decorator.js';
import { StartupError } from '../config/startup-error.js';
import { handlersOf } from '../http/handlers.js';
import { SECURITY_SCHEME } from '../http/operation-marks.js';
import { challenge, InsufficientScope } from './auth.errors.js';
import { type Scope, SCOPES } from './scopes.js';

const REQUIRED_SCOPES = 'auth:required-scopes';

/** The scopes that a handler requires, if any. */
const requiredScopes = (handler: object): readonly Scope[] =>
  (Reflect.getMetadata(REQUIRED_SCOPES, handler) as readonly Scope[] | undefined) ?? [];

/**
 * Restricts an operation to keys with all of these scopes, which the module declares in `static readonly scopes`. Requests with
 * other keys get 403 `insufficient_scope`.
 */
export function RequireScope(...scopes: [Scope, ...Scope[]]): MethodDecorator {
  return applyDecorators(
    // Metadata, because it survives decorators that replace the handler.
    SetMetadata(REQUIRED_SCOPES, scopes),
    ApiSecurity(SECURITY_SCHEME, scopes),
    ApiErrors(new InsufficientScope(scopes[0])),
  );
}

/** Rejects a key that lacks a scope of the route's `@RequireScope()`. */
@Injectable()
export class ScopeGuard implements CanActivate, OnModuleInit {
  constructor(private readonly discovery: DiscoveryService) {}

  /** @throws StartupError if a route requires a scope that no module declares: no key could be limited to it */
  onModuleInit(): void {
    for (const { controller, handler, name } of handlersOf(this.discovery)) {
      const unknown = requiredScopes(handler).find((scope) => !SCOPES.includes(scope));
      if (unknown !== undefined)
        throw new StartupError(
          `${controller.name}.${name} requires the scope ${JSON.stringify(unknown)}, which no module declares in its ` +
            'static property "scopes".',
        );
    }
  }

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
