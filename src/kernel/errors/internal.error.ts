import { DomainError } from './domain-error.js';

/** A fault of ours. What it was stands in the log under the request's id. */
export class InternalError extends DomainError {
  constructor() {
    super(
      'internal',
      'internal_error',
      'Something went wrong on our side. The X-Request-Id of this answer helps us to find it.',
    );
  }
}
