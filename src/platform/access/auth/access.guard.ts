import {
  type CanActivate,
  type ExecutionContext,
  Injectable,
  type OnModuleInit,
  RequestMethod,
} from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { Request, Response } from 'express';
import { StartupError } from '../../kernel/config/startup-error.js';
import { ServiceUnavailable } from '../../kernel/errors/common.errors.js';
import { type Handler, handlersOf } from '../../http/core/handlers.js';
import { checkHead } from '../../http/core/request-head.js';
import { isCatchAll } from '../../http/core/not-found/catch-all.js';
import { perHandler } from '../../http/core/per-handler.js';
import { isPublicHandler } from '../../http/core/public.decorator.js';
import { sentResource } from '../../http/conditional/response-headers.js';
import { keyNotSupported } from '../../writes/idempotency/idempotency-key.js';
import { idempotentOptions } from '../../writes/idempotency/idempotent.metadata.js';
import { challenge, InsufficientScope, MissingApiKey } from './auth.errors.js';
import { InvalidApiKey } from '../keys/keys.errors.js';
import type { Principal } from './principal.js';
import { isForAnyKey, requiredScopes } from './require-scope.decorator.js';
import { type Scope, SCOPES } from '../keys/scopes.js';

const accessOf = perHandler((handler, controller) => ({
  isPublic: isPublicHandler(handler, controller),
  scopes: requiredScopes(handler),
  resource: sentResource(handler),
  refusesIdempotencyKey: idempotentOptions(handler) === undefined && !isCatchAll(controller),
}));

/**
 * Decides whether a request may reach its handler. It needs one valid `Host` and at most one `Authorization`;
 * a valid key, unless the route is `@Public()`; and the scopes of the route's `@RequireScope()`. A `POST`
 * that is not `@Idempotent()` refuses an `Idempotency-Key`: its client relies on what the operation does not
 * do. OPTIONS needs no key, because a CORS preflight has no credentials.
 */
@Injectable()
export class AccessGuard implements CanActivate, OnModuleInit {
  constructor(private readonly discovery: DiscoveryService) {}

  /**
   * @throws StartupError if a route requires a scope that no module declares: no key could be limited to it; and
   *   for a write that every key may call, unless it says so
   */
  onModuleInit(): void {
    const handlers = handlersOf(this.discovery);
    for (const { controller, handler, name } of handlers) {
      const unknown = requiredScopes(handler).find((scope) => !SCOPES.includes(scope));
      if (unknown !== undefined)
        throw new StartupError(
          `${controller.name}.${name} requires the scope ${JSON.stringify(unknown)}, which no module declares in its ` +
            'static property "scopes".',
        );
    }
    const open = handlers.filter(isOpenWrite).map(({ controller, name }) => `${controller.name}.${name}`);
    if (open.length > 0)
      throw new StartupError(
        `Every API key may call ${open.join(', ')}. Add @RequireScope(), or @AnyKey() or @Public() if that is meant.`,
      );
  }

  canActivate(context: ExecutionContext): true {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const { isPublic, scopes, resource, refusesIdempotencyKey } = accessOf(context);
    request.sentResource = resource; // looked up here with all else that the handler declares
    checkHead(request);
    const { principal, method } = request;
    if (principal?.kind !== 'key' && method !== 'OPTIONS' && !isPublic)
      throw withoutKey(principal, http.getResponse<Response>());
    if (scopes.length > 0) requireScopes(scopes, principal, http.getResponse<Response>());
    if (refusesIdempotencyKey && method === 'POST' && request.headers['idempotency-key'] !== undefined)
      throw keyNotSupported();
    return true;
  }
}

const READS = [RequestMethod.GET, RequestMethod.HEAD, RequestMethod.OPTIONS];

/** Whether it writes, and neither requires a scope nor says that it needs none. */
const isOpenWrite = ({ controller, handler, method }: Handler): boolean =>
  !READS.includes(method) &&
  requiredScopes(handler).length === 0 &&
  !isForAnyKey(handler, controller) &&
  !isPublicHandler(handler, controller) &&
  !isCatchAll(controller);

function withoutKey(principal: Exclude<Principal, { kind: 'key' }> | undefined, response: Response): Error {
  if (principal?.key === 'unavailable') return new ServiceUnavailable();
  const isMissing = principal?.key === 'missing';
  response.setHeader('WWW-Authenticate', isMissing ? challenge() : challenge({ error: 'invalid_token' }));
  return isMissing ? new MissingApiKey() : new InvalidApiKey();
}

/** @throws InsufficientScope */
function requireScopes(
  required: readonly Scope[],
  principal: Principal | undefined,
  response: Response,
): void {
  const granted = principal?.kind === 'key' ? (principal.scopes ?? required) : [];
  const missing = required.find((scope) => !granted.includes(scope));
  if (!missing) return;
  response.setHeader(
    'WWW-Authenticate',
    challenge({ error: 'insufficient_scope', scope: required.join(' ') }),
  );
  throw new InsufficientScope(missing);
}
