import { DomainError } from './domain-error.js';
import type { FieldError } from './field-error.js';

/** An unexpected error of the service. Its cause is in the log, with the request's id. */
export class InternalError extends DomainError {
  static override readonly help = {
    meaning: 'The service failed. The response does not reveal the cause.',
    action: 'Repeat the request later. Report the `X-Request-Id` if it happens again.',
  };

  constructor() {
    super(
      'internal',
      'internal_error',
      'An error occurred in the service. Quote the X-Request-Id of this response when you report it.',
    );
  }
}

/** A dependency of the service is temporarily unavailable. */
export class ServiceUnavailable extends DomainError {
  static override readonly help = {
    meaning:
      'Something that the service needs, such as its database, is unavailable, or the request waited too long for others to end.',
    action: 'Wait for the seconds in `Retry-After`. Repeat a `POST` with the same `Idempotency-Key`.',
  };

  constructor(options?: ErrorOptions) {
    super('unavailable', 'service_unavailable', 'The service is temporarily unavailable. Try again shortly.');
    this.retryAfter = 1;
    this.cause = options?.cause;
  }
}

/** Limits the size of the response to a hostile request. */
export const MAX_DETAILS = 20;

export class ValidationFailed extends DomainError {
  static override readonly help = {
    meaning: 'A value in the body, query, path or headers is missing, invalid or unknown.',
    action: 'Correct each value in `details`. The same request would fail again.',
  };

  constructor(errors: readonly FieldError[]) {
    const details = errors.slice(0, MAX_DETAILS);
    const more = errors.length > MAX_DETAILS ? [`Only the first ${MAX_DETAILS} errors are listed`] : [];
    const sentences = [...details.map(({ message }) => message), ...more];
    super('invalid', 'validation_failed', sentences.map((sentence) => `${sentence}.`).join(' '), details);
  }
}
