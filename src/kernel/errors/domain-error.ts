import type { FieldError } from './field-error.js';

/** The texts of an error in the catalogue. CommonMark, with `code` as their only markup. */
export interface ErrorHelp {
  /** When it happens. */
  readonly meaning: string;
  /** The remedy of a client. */
  readonly action: string;
}

/** An error of the domain: `code` is for programs and never changes, `message` is for people. */
export class DomainError extends Error {
  static readonly help?: ErrorHelp;
  readonly expose = true;

  constructor(
    readonly kind: ErrorKind,
    readonly code: string,
    message: string,
    readonly details?: readonly FieldError[],
  ) {
    super(message);
    this.name = new.target.name;
  }

  /** With `status` and `expose` it looks like an error of the package http-errors, which Nest's `BaseExceptionFilter` knows. */
  get statusCode(): number {
    return HTTP_STATUS[this.kind];
  }

  get status(): number {
    return HTTP_STATUS[this.kind];
  }
}

/** The one place where the meaning of an error becomes an HTTP status (RFC 9110; 429: RFC 6585). */
export const HTTP_STATUS = {
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
} as const;

export type ErrorKind = keyof typeof HTTP_STATUS;
