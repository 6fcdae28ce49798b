import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Request, Response } from 'express';
import { isNativeError } from 'node:util/types';
import { isDatabaseAway } from '../../database/database-away.js';
import { DomainError } from '../../kernel/errors/domain-error.js';
import { RouteNotFound, UndecodablePath } from '../route.errors.js';
import { isDecodable } from '../undecodable-path.js';
import { HTTP_STATUS } from './http-status.js';
import { InternalError } from '../../kernel/errors/internal.error.js';
import { ServiceUnavailable } from '../../kernel/errors/service-unavailable.error.js';

const RETRY_WHEN_UNAVAILABLE = '1'; // seconds

/** Turns whatever was thrown into `{code, message, status}`. What a client may not know stays in the log. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger(ErrorFilter.name);

  constructor(private readonly adapters: HttpAdapterHost) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const response = http.getResponse<Response>();
    if (response.headersSent || response.destroyed) return;
    const error = this.meaningOf(thrown, http.getRequest<Request>());
    const status = HTTP_STATUS[error.kind];
    if (error.kind === 'unavailable') response.setHeader('Retry-After', RETRY_WHEN_UNAVAILABLE);
    const { code, message, details } = error;
    this.adapters.httpAdapter.reply(response, { code, message, status, ...(details && { details }) }, status);
  }

  private meaningOf(thrown: unknown, request: Request): DomainError {
    if (thrown instanceof DomainError) return thrown;
    if (isDatabaseAway(thrown)) {
      this.logger.warn({ requestId: request.id, msg: `Database away: ${String(thrown)}` });
      return new ServiceUnavailable();
    }
    if (thrown instanceof HttpException) {
      if (thrown.getStatus() === 404) return new RouteNotFound(request.path);
      if (thrown.getStatus() === 400) return badRequest(thrown, request);
    }
    this.logger.error({ requestId: request.id, ...describe(thrown) });
    return new InternalError();
  }
}

/** The other members of an error, such as the parameters of a query, may hold what no log may have. */
function describe(thrown: unknown): { msg: string; stack?: string } {
  return isNativeError(thrown) ? { msg: thrown.message, stack: thrown.stack } : { msg: String(thrown) };
}

/** A 400 that is not of our own making: of Express when it cannot decode a path, or of one of Nest's pipes. */
function badRequest({ message }: HttpException, { path }: Request): DomainError {
  return isDecodable(path) ? new DomainError('invalid', 'validation_failed', message) : new UndecodablePath();
}
