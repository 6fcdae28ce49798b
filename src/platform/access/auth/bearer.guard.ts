// auth/ finds out who sends a request, and whether the route is open to it. How keys are made, stored and
// revoked is in `keys`.

import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { isPreflight } from '../../http/core/middleware/cors.js';
import { isOutsideApi } from '../../http/core/public.decorator.js';
import { hasSeveralKeys } from '../../http/core/request-head.js';
import { requestParameter } from '../../http/core/request-parameter.js';
import { ServiceUnavailable } from '../../kernel/errors/common.errors.js';
import { ApiKeyResolver } from './api-key-resolver.js';
import { addressOf, network } from '../../http/core/network.js';
import type { AnonymousClient, Principal } from './principal.js';

/** RFC 6750, section 2.1; the scheme's case does not matter (RFC 9110, section 11.1). */
const BEARER = /^Bearer +(.+)$/i;

/** The bearer token of a request. */
const secretOf = ({ headers }: Request): string | undefined => BEARER.exec(headers.authorization ?? '')?.[1];

/** The secret of the request's API key, in a handler behind `AccessGuard`. */
export const SentSecret = requestParameter((context) =>
  secretOf(context.switchToHttp().getRequest<Request>()),
);

const anonymous = (key: AnonymousClient['key']): Principal => ({ kind: 'anonymous', key });
const MISSING = anonymous('missing');
const INVALID = anonymous('invalid');

/**
 * Resolves the key of a request, and its plan, to `request.principal`. It refuses nothing:
 * `PlanThrottlerGuard` counts every request first and sets its headers, and `AccessGuard` then requires a
 * valid key.
 */
@Injectable()
export class BearerGuard implements CanActivate {
  constructor(private readonly resolver: ApiKeyResolver) {}

  canActivate(context: ExecutionContext): true | Promise<true> {
    if (isOutsideApi(context)) return true;
    const request = context.switchToHttp().getRequest<Request>();
    if (hasSeveralKeys(request)) {
      request.principal = INVALID; // AccessGuard refuses it
      return true;
    }
    const secret = secretOf(request);
    const known = secret === undefined ? undefined : this.resolver.resolveCached(secret);
    request.principal = known ?? (secret === undefined ? MISSING : INVALID);
    if (secret === undefined || known !== undefined || isPreflight(request)) return true;
    return this.lookup(request, secret);
  }

  private async lookup(request: Request, secret: string): Promise<true> {
    try {
      request.principal = (await this.resolver.lookup(secret, network(addressOf(request)))) ?? INVALID;
    } catch (error) {
      request.principal = this.unresolved(error, request);
    }
    return true;
  }

  private unresolved(error: unknown, request: Request): Principal {
    const reason: unknown = error instanceof ServiceUnavailable ? error.cause : error;
    request.reason = `Could not look up the key: ${String(reason)}`;
    return anonymous('unavailable');
  }
}
