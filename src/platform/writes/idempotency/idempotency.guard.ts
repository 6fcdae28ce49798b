// idempotency/ stores the first response of an `Idempotency-Key` with its writes, and replays it. What is
// written is the matter of the handler.

import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { UNREAD } from '../../http/core/body/body.guard.js';
import { fingerprint } from './fingerprint.js';
import { idempotencyKey, keyWithoutClient, keyWithUnreadBody } from './idempotency-key.js';
import { idempotentOptions } from './idempotent.metadata.js';
import { IdempotentRequests } from './idempotent-requests.js';
import type { IdempotentRequest } from './idempotent-responses.js';
import { targetOf } from './request-target.js';

/**
 * The guard of `@Idempotent()` handlers. For a request with an `Idempotency-Key` it opens the transaction
 * that `JsonAdapter` commits together with the response. It answers a repeat itself.
 */
@Injectable()
export class IdempotencyGuard implements CanActivate {
  constructor(private readonly requests: IdempotentRequests) {}

  canActivate(context: ExecutionContext): true | Promise<true> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    // Checked first, because reading `headersDistinct` parses all headers.
    if (request.headers['idempotency-key'] === undefined) return true;
    return this.begin(request, http.getResponse<Response>(), context);
  }

  private async begin(request: Request, response: Response, context: ExecutionContext): Promise<true> {
    const identified = identify(request, context);
    const { isolation } = idempotentOptions(context.getHandler()) ?? {};
    if (await this.requests.begin(identified, response, isolation)) return true;
    // The response is sent. `true` would run the handler, `false` would be a 403, and a filter of the module could take an error.
    return new Promise<never>(() => undefined);
  }
}

/** @throws ValidationFailed */
function identify(request: Request, context: ExecutionContext): IdempotentRequest {
  const { principal, method } = request;
  const key = idempotencyKey(request.headersDistinct['idempotency-key'] ?? []);
  if (principal?.kind !== 'key') throw keyWithoutClient();
  const target = targetOf(request, context);
  return { keyId: principal.id, key, fingerprint: fingerprint(method, target, bodyIn(request)) };
}

/**
 * @throws ValidationFailed if the body is left to the handler, which cannot compare it with that of a repeat
 */
function bodyIn(request: Request): unknown {
  const body: unknown = request.body;
  if (body === UNREAD) throw keyWithUnreadBody();
  return body;
}
