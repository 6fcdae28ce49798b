import { type CallHandler, type ExecutionContext, Injectable, StreamableFile } from '@nestjs/common';
import { REDIRECT_METADATA } from '@nestjs/common/constants.js';
import type { Request, Response } from 'express';
import { from, isObservable, lastValueFrom, type Observable } from 'rxjs';
import { DataSource } from 'typeorm';
import { inTransaction, TransactionEnded } from '../database/transactions/ambient-transaction.js';
import type { DirectInterceptor } from '../http/direct-interceptors/direct-interceptors.js';
import { InternalError } from '../kernel/errors/common.errors.js';
import { RawJson, writeJson } from '../kernel/json/write-json.js';
import { fingerprint } from './fingerprint.js';
import { idempotencyKey, keyWithoutClient } from './idempotency-key.js';
import { IdempotencyInProgress } from './idempotency.errors.js';
import { isIdempotent } from './idempotent.decorator.js';
import { type IdempotentRequest, type StoredResponse, StoredResponses } from './stored-responses.js';

const IDEMPOTENT_REPLAYED = 'Idempotent-Replayed';
const RETRY_AFTER = '1'; // seconds; transactions end sooner
/** Of a handler that has committed by a statement of its own: a repeat must not run it again. */
const HALF_DONE: StoredResponse = { status: 500, headers: {}, body: null };

/**
 * Runs a handler once for an `Idempotency-Key`: its writes and its response are committed together, and each repeat gets
 * that response. A handler that throws commits nothing, and a repeat runs it again.
 *
 * It is outside of the interceptors of modules: it stores the response that they made, and a repeat runs none of them.
 */
@Injectable()
export class IdempotencyInterceptor implements DirectInterceptor {
  constructor(
    private readonly dataSource: DataSource,
    private readonly stored: StoredResponses,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    const sent = sentKeys(context);
    return sent ? from(this.once(sent, context, () => lastValueFrom(next.handle()))) : next.handle();
  }

  around(context: ExecutionContext, next: () => Promise<unknown>): Promise<unknown> {
    const sent = sentKeys(context);
    return sent ? this.once(sent, context, async () => emitted(await next())) : next();
  }

  private async once(keys: readonly string[], context: ExecutionContext, handle: () => Promise<unknown>) {
    const response = context.switchToHttp().getResponse<Response>();
    const request = identify(response.req, keys);
    const stored = await this.stored.find(request);
    if (stored?.status === HALF_DONE.status) throw new InternalError();
    if (stored) return replay(stored, response, context.getHandler());
    return inTransaction(this.dataSource, () => this.first(request, response, handle)).catch(
      async (error: unknown) => {
        if (error instanceof TransactionEnded) await this.stored.insert(request, HALF_DONE);
        throw error;
      },
    );
  }

  private async first(request: IdempotentRequest, response: Response, handle: () => Promise<unknown>) {
    if (!(await this.stored.claim(request))) throw inProgress(response);
    const before = response.getHeaders();
    const result = await handle();
    const headers = Object.fromEntries(
      Object.entries(response.getHeaders()).filter(([name, value]) => before[name] !== value),
    ) as StoredResponse['headers'];
    const stored = { status: response.statusCode, headers, body: bodyOf(result) };
    // Another request may have committed between the look-up and the claim: then this one is rolled back.
    if (!(await this.stored.insert(request, stored))) throw inProgress(response);
    return result;
  }
}

/** The `Idempotency-Key` headers of a request to an idempotent handler. */
function sentKeys(context: ExecutionContext): readonly string[] | undefined {
  if (!isIdempotent(context.getHandler())) return undefined;
  const request = context.switchToHttp().getRequest<Request>();
  // Reading `headersDistinct` builds all of it.
  return request.headers['idempotency-key'] === undefined
    ? undefined
    : request.headersDistinct['idempotency-key'];
}

const emitted = (result: unknown): unknown => (isObservable(result) ? lastValueFrom(result) : result);

function identify(request: Request, keys: readonly string[]): IdempotentRequest {
  const { principal, method, originalUrl } = request;
  const key = idempotencyKey(keys);
  if (principal?.kind !== 'key') throw keyWithoutClient();
  return { keyId: principal.id, key, fingerprint: fingerprint(method, originalUrl, request.body) };
}

function bodyOf(result: unknown): string | null {
  if (typeof result === 'string') return JSON.stringify(result);
  if (typeof result === 'number' || typeof result === 'boolean') return JSON.stringify(String(result)); // as it is sent
  if (!isObject(result)) return null;
  const isFile = result instanceof StreamableFile || ArrayBuffer.isView(result);
  if (isFile || Symbol.asyncIterator in result || result instanceof globalThis.Response) {
    throw new TypeError(
      'An idempotent operation cannot send a file or stream: its response is stored as JSON.',
    );
  }
  return writeJson(result);
}

function replay({ status, headers, body }: StoredResponse, response: Response, handler: object): unknown {
  response.status(status).set(IDEMPOTENT_REPLAYED, 'true');
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (body === null) return undefined;
  const value: unknown = JSON.parse(body);
  const isReadByNest = !isObject(value) || Reflect.hasMetadata(REDIRECT_METADATA, handler);
  return isReadByNest ? value : new RawJson(body);
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

function inProgress(response: Response): IdempotencyInProgress {
  response.setHeader('Retry-After', RETRY_AFTER);
  return new IdempotencyInProgress();
}
