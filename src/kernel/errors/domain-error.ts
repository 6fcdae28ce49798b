import { type ErrorKind, HTTP_STATUS } from './error-kind.js';
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
