import type { ErrorKind } from './error-kind.js';
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
  /** Seconds after which the request may succeed. Sent as `Retry-After`. */
  retryAfter?: number;
  /**
   * The media types of a body that the operation accepts, if the request has another one. Sent as
   * `Accept-Patch` of a PATCH.
   */
  acceptedTypes?: readonly string[];

  constructor(
    readonly kind: ErrorKind,
    readonly code: string,
    message: string,
    readonly details?: readonly FieldError[],
  ) {
    super(message);
    this.name = new.target.name;
  }
}
