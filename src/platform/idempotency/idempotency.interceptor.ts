import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  StreamableFile,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { UNREAD } from '../http/body/body.guard.js';
import { CatchAll } from '../http/not-found/catch-all.js';
import { readJson } from '../json/parse-json.js';
import { writeJson } from '../json/write-json.js';
import { fingerprint } from './fingerprint.js';
import { idempotencyKey, keyNotSupported, keyWithoutClient, keyWithUnreadBody } from './idempotency-key.js';
import { IdempotencyInProgress } from './idempotency.errors.js';
import { isIdempotent } from './idempotent.decorator.js';
import { IdempotentRequests } from './idempotent-requests.js';
import type { IdempotentRequest, IdempotentResponse } from './idempotent-responses.js';
import type { RunTransaction } from '../database/run-transaction.js';

const IDEMPOTENT_REPLAYED = 'Idempotent-Replayed';
const RETRY_AFTER = '1'; // seconds; transactions end sooner

/**
 * Runs an `@Idempotent()` handler once for each `Idempotency-Key`. What it writes through its unit of work commits together
 * with its response, and each repeat gets that response. Another POST refuses the header: its client relies on what the
 * operation does not do. The interceptor is global, and so the outermost one: it stores what all others have made.
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor<unknown, unknown> {
  constructor(
    private readonly reflector: Reflector,
    private readonly requests: IdempotentRequests,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    // Checked first, because reading `headersDistinct` parses all headers.
    if (request.headers['idempotency-key'] === undefined) return next.handle();
    if (!isIdempotent(context.getHandler())) {
      if (request.method === 'POST' && !this.reflector.get(CatchAll, context.getClass()))
        throw keyNotSupported();
      return next.handle();
    }
    const identified = identify(request, request.headersDistinct['idempotency-key'] ?? []);
    return from(this.once(identified, request, http.getResponse<Response>(), next));
  }

  private async once(
    identified: IdempotentRequest,
    request: Request,
    response: Response,
    next: CallHandler<unknown>,
  ): Promise<unknown> {
    try {
      const { response: stored, isRepeat } = await this.requests.once(identified, async (transaction) => {
        request.idempotentTransaction = transaction;
        const before = response.getHeaders();
        const result = await lastValueFrom(next.handle(), { defaultValue: undefined });
        if (response.headersSent)
          throw new TypeError('An idempotent operation must not send its response itself.');
        return { status: response.statusCode, headers: added(before, response), body: bodyOf(result) };
      });
      if (isRepeat) replay(stored, response);
      return stored.body === null ? undefined : readJson(stored.body); // the first response too, so that both are the same
    } catch (error) {
      if (error instanceof IdempotencyInProgress) response.setHeader('Retry-After', RETRY_AFTER);
      throw error;
    }
  }
}

/** @throws ValidationFailed */
function identify(request: Request, keys: readonly string[]): IdempotentRequest {
  const { principal, method, originalUrl } = request;
  const key = idempotencyKey(keys);
  if (principal?.kind !== 'key') throw keyWithoutClient();
  return { keyId: principal.id, key, fingerprint: fingerprint(method, originalUrl, bodyIn(request)) };
}

/** @throws ValidationFailed if the body is left to the handler, which cannot compare it with that of a repeat */
function bodyIn(request: Request): unknown {
  const body: unknown = request.body;
  if (body === UNREAD) throw keyWithUnreadBody();
  return body;
}

declare module 'express-serve-static-core' {
  interface Request {
    /** Runs the writes of a request with an `Idempotency-Key`; `@UnitOfWork()` uses it. */
    idempotentTransaction?: RunTransaction;
  }
}

type Headers = IdempotentResponse['headers'];

const added = (before: object, response: Response): Headers =>
  Object.fromEntries(
    Object.entries(response.getHeaders() as Headers).filter(
      ([name, value]) => (before as Headers)[name] !== value,
    ),
  );

function bodyOf(result: unknown): string | null {
  if (typeof result === 'string') return JSON.stringify(result);
  if (typeof result === 'number' || typeof result === 'boolean') return JSON.stringify(String(result)); // as Express sends it
  if (typeof result !== 'object' || result === null) return null;
  const isFile = result instanceof StreamableFile || ArrayBuffer.isView(result);
  if (isFile || Symbol.asyncIterator in result || result instanceof globalThis.Response) {
    throw new TypeError(
      'An idempotent operation cannot send a file or stream: its response is stored as JSON.',
    );
  }
  return writeJson(result);
}

function replay({ status, headers }: IdempotentResponse, response: Response): void {
  response.status(status).set(IDEMPOTENT_REPLAYED, 'true');
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}
