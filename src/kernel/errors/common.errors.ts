import { DomainError } from './domain-error.js';
import type { FieldError } from './field-error.js';

/** An unexpected error of the service. Its cause is in the log, with the request's id. */
export class InternalError extends DomainError {
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
  constructor(options?: ErrorOptions) {
    super('unavailable', 'service_unavailable', 'The service is temporarily unavailable. Try again shortly.');
    this.cause = options?.cause;
  }
}

/** Limits the size of the response to a hostile request. */
const MAX_DETAILS = 20;

export class ValidationFailed extends DomainError {
  constructor(errors: readonly FieldError[]) {
    const details = errors.slice(0, MAX_DETAILS);
    const more = errors.length > MAX_DETAILS ? [`Only the first ${MAX_DETAILS} errors are listed`] : [];
    const sentences = [...details.map(({ message }) => message), ...more];
    super('invalid', 'validation_failed', sentences.map((sentence) => `${sentence}.`).join(' '), details);
  }
}

/** A problem that the user of the program can fix. It is shown as one line, without a stack. */
export class StartupError extends Error {}
