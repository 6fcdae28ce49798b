import { DomainError, type ErrorKind } from '../../kernel/errors/domain-error.js';

/** The one place where a meaning becomes an HTTP status (RFC 9110; 429: RFC 6585). */
export const HTTP_STATUS: Readonly<Record<ErrorKind, number>> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  conflict: 409,
  gone: 410,
  precondition_failed: 412,
  too_large: 413,
  unsupported_media_type: 415,
  unprocessable: 422,
  rate_limited: 429,
  internal: 500,
  unavailable: 503,
};

/**
 * A DomainError looks like one of the package http-errors, so that what knows those keeps its status and message: a
 * filter that extends Nest's `BaseExceptionFilter`, for instance.
 */
const status = {
  configurable: true,
  get(this: DomainError): number {
    return HTTP_STATUS[this.kind];
  },
};
Object.defineProperties(DomainError.prototype, {
  status,
  statusCode: status,
  expose: { configurable: true, value: true },
});
