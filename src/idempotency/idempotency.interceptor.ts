import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  type RawBodyRequest,
  StreamableFile,
} from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { Request, Response } from 'express';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { hasBody } from '../http/guards/body.guard.js';
import { hidesProperties } from '../http/validation/dto-schema.js';
import { readJson } from '../kernel/json/parse-json.js';
import { writeJson } from '../kernel/json/write-json.js';
import { fingerprint } from './fingerprint.js';
import { FirstResponses } from './first-responses.js';
import { idempotencyKey, keyWithoutClient, keyWithUnreadBody } from './idempotency-key.js';
import { IdempotencyInProgress } from './idempotency.errors.js';
import type { IdempotentRequest, StoredResponse } from './stored-responses.js';

const IDEMPOTENT_REPLAYED = 'Idempotent-Replayed';
const RETRY_AFTER = '1'; // seconds; transactions end sooner

/**
 * Runs a handler once for each `Idempotency-Key`. Its writes and its response are committed together, and each repeat
 * gets that response. Interceptors outside this one also run for a repeat.
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor<unknown, unknown> {
  /** Dependencies are resolved per request, so a unit test of a controller need not provide them. */
  constructor(private readonly modules: ModuleRef) {}

  intercept(context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<RawBodyRequest<Request>>();
    // Checked first, because reading `headersDistinct` parses all headers.
    if (request.headers['idempotency-key'] === undefined) return next.handle();
    const identified = identify(request, request.headersDistinct['idempotency-key'] ?? []);
    return from(this.once(identified, http.getResponse<Response>(), next));
  }

  private async once(request: IdempotentRequest, response: Response, next: CallHandler<unknown>) {
    let result: unknown;
    const work = async () => {
      const before = response.getHeaders();
      result = await lastValueFrom(next.handle(), { defaultValue: undefined });
      return { status: response.statusCode, headers: added(before, response), body: bodyOf(result) };
    };
    try {
      const first = await this.modules.get(FirstResponses, { strict: false }).of(request, work);
      return first.isRepeat ? replay(first.response, response) : result;
    } catch (error) {
      if (error instanceof IdempotencyInProgress) response.setHeader('Retry-After', RETRY_AFTER);
      throw error;
    }
  }
}

/** @throws ValidationFailed */
function identify(request: RawBodyRequest<Request>, keys: readonly string[]): IdempotentRequest {
  const { principal, method, originalUrl } = request;
  const key = idempotencyKey(keys);
  if (principal?.kind !== 'key') throw keyWithoutClient();
  return { keyId: principal.id, key, fingerprint: fingerprint(method, originalUrl, sentBody(request)) };
}

/** @throws ValidationFailed if the body was not read before the handler, or not completely */
function sentBody(request: RawBodyRequest<Request>): unknown {
  const body: unknown = request.body ?? request.rawBody;
  const isMultipart = request.is('multipart/*') !== false && request.is('multipart/*') !== null;
  const isUnread = body === undefined && !request.readableDidRead && hasBody(request);
  if (isMultipart || isUnread) throw keyWithUnreadBody();
  return body;
}

type Headers = StoredResponse['headers'];

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
  if (hidesProperties(result)) {
    throw new TypeError(
      'An idempotent operation cannot return an object with @Exclude(): serialize it before, with the interceptor above @Idempotent().',
    );
  }
  return writeJson(result);
}

function replay({ status, headers, body }: StoredResponse, response: Response): unknown {
  response.status(status).set(IDEMPOTENT_REPLAYED, 'true');
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  return body === null ? undefined : readJson(body);
}
