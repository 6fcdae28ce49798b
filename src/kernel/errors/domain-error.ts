import type { FieldError } from './field-error.js';

/** The texts of an error in the catalogue, in CommonMark with `code` as the only markup. */
export interface ErrorHelp {
  /** When the error occurs. */
  readonly meaning: string;
  /** What the client should do. */
  readonly action: string;
}

/** An error that a client gets: `code` is for programs and never changes, `message` is for people. */
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

  /** With `status` and `expose` it has the shape of an http-errors error, which Nest's `BaseExceptionFilter` understands. */
  get statusCode(): number {
    return HTTP_STATUS[this.kind];
  }

  get status(): number {
    return HTTP_STATUS[this.kind];
  }
}

/** The HTTP status of each kind of error (RFC 9110; 429: RFC 6585). */
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
