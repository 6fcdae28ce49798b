// errors/ turns each error into the one body of errors. Errors of a resource stand with it.

import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Request, Response } from 'express';
import { isNativeError } from 'node:util/types';
import { DomainError } from './domain-error.js';
import { HandlingFailed } from './handling-failed.js';
import { ErrorMappers } from './error-mappers.js';
import { isDecodable, RouteNotFound, UndecodablePath } from './route.errors.js';
import {
  type ErrorBody,
  isClientError,
  isHttpError,
  isParseError,
  ofDomainError,
  ofHttpException,
  ofStatus,
} from './error-body.js';

const RETRY_WHEN_UNAVAILABLE = 1; // seconds

/**
 * Turns everything that is thrown into `{code, message, status}`. Internal details are logged but not sent.
 * Filters of modules run first; one that catches everything extends this class, and passes on to
 * `super.catch()`.
 */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger(ErrorFilter.name);

  constructor(
    private readonly adapters: HttpAdapterHost,
    private readonly mappers: ErrorMappers,
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.respond(thrown, http.getRequest<Request>(), http.getResponse<Response>());
  }

  respond(thrown: unknown, request: Request, response: Response): void {
    const fail = (failure: unknown): void => {
      if (thrown instanceof HandlingFailed) response.destroy();
      else this.respond(new HandlingFailed(failure, thrown), request, response);
    };
    try {
      // Nest does not await a filter.
      Promise.resolve(this.send(thrown, request, response)).catch(fail);
    } catch (failure) {
      fail(failure); // of a mapper, or of the error, whose text or status may be impossible
    }
  }

  private send(thrown: unknown, request: Request, response: Response): unknown {
    if (response.writableEnded && !request.complete) return undefined; // malformed body: client-errors.ts has responded
    const body = this.bodyFor(thrown, request);
    // Nobody can receive it. The response itself is destroyed only in a later phase of the event loop than
    // its socket.
    if (response.headersSent || response.destroyed || request.socket.destroyed) {
      void request.transaction?.rollBack();
      if (!response.writableEnded) response.destroy(); // an incomplete response must not look complete
      return undefined;
    }
    request.errorCode = body.code;
    const retryAfter = retryAfterOf(thrown, body, request);
    if (retryAfter !== undefined && !response.hasHeader('Retry-After'))
      response.setHeader('Retry-After', retryAfter);
    if (thrown instanceof DomainError && thrown.acceptedTypes && request.method === 'PATCH')
      response.setHeader('Accept-Patch', thrown.acceptedTypes.join(', '));
    return this.adapters.httpAdapter.reply(response, body, body.status) as unknown;
  }

  private bodyFor(thrown: unknown, request: Request): ErrorBody {
    if (thrown instanceof HandlingFailed) {
      const body = ofStatus(500);
      for (const one of [thrown.thrown, thrown.failure]) this.log(one, body, request);
      return body;
    }
    if (thrown instanceof DomainError) {
      const body = ofDomainError(thrown);
      if (body.status === 500 || thrown.cause !== undefined) this.log(thrown, body, request);
      return body;
    }
    if (thrown instanceof HttpException && thrown.cause instanceof DomainError)
      return ofDomainError(thrown.cause); // thrown by middleware
    const meaning = this.mappers.map(thrown);
    if (meaning) {
      request.reason = String(meaning.cause ?? thrown);
      return ofDomainError(meaning);
    }
    const body = bodyOf(thrown, request);
    this.log(thrown, body, request);
    return body;
  }

  /**
   * Logs errors of the service, and causes that the client is not responsible for. A 503 has only the line of
   * its request.
   */
  private log(thrown: unknown, { status, code }: ErrorBody, request: Request): void {
    const { id: requestId } = request;
    const cause = thrown instanceof HttpException || thrown instanceof DomainError ? thrown.cause : undefined;
    if (status === 503) request.reason = describe(cause ?? thrown).msg;
    else if (status >= 500) this.logger.error({ requestId, ...describe(cause ?? thrown) });
    else if (cause !== undefined && !isClientError(cause)) {
      const { msg, stack } = describe(cause);
      this.logger.warn({ requestId, msg: `${code}: ${msg}`, stack });
    }
  }
}

/**
 * `Retry-After` in seconds: not before the windows end that the request has exhausted. A key that could not be
 * looked up may be valid, and does not wait for the windows of its address.
 */
function retryAfterOf(
  thrown: unknown,
  { status }: ErrorBody,
  { principal, rateLimit }: Request,
): number | undefined {
  const own = thrown instanceof DomainError ? thrown.retryAfter : undefined;
  const seconds = own ?? (status === 503 ? RETRY_WHEN_UNAVAILABLE : undefined);
  const isUnknown = principal?.kind === 'anonymous' && principal.key === 'unavailable';
  const windows = isUnknown ? [] : (rateLimit?.windows ?? []);
  const exhausted = windows.filter(({ remaining }) => remaining === 0);
  return seconds && Math.max(seconds, ...exhausted.map(({ resetIn }) => Math.ceil(resetIn / 1000)));
}

function bodyOf(thrown: unknown, request: Request): ErrorBody {
  if (thrown instanceof HttpException) return bodyOfException(thrown, request);
  if (isHttpError(thrown)) return ofStatus(thrown.statusCode, thrown.expose === false ? '' : thrown.message);
  return ofStatus(500);
}

function bodyOfException(exception: HttpException, request: Request): ErrorBody {
  const { method, originalUrl, path } = request;
  if (exception.message === `Cannot ${method} ${originalUrl}`) return ofDomainError(new RouteNotFound(path)); // Nest's own
  if (!isDecodable(path)) return ofDomainError(new UndecodablePath());
  const body = ofHttpException(exception);
  return isParseError(exception.cause) ? { ...body, code: 'invalid_json' } : body;
}

/** For the log. No other properties of an error: they may contain secrets, such as query parameters. */
export function describe(thrown: unknown): { msg: string; stack?: string } {
  try {
    return isNativeError(thrown) ? { msg: thrown.message, stack: thrown.stack } : { msg: String(thrown) };
  } catch {
    return { msg: 'An object that cannot be a text was thrown.' };
  }
}
