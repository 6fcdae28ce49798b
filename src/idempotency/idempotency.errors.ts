import { DomainError } from '../kernel/errors/domain-error.js';

export class IdempotencyKeyReused extends DomainError {
  constructor() {
    super(
      'unprocessable',
      'idempotency_key_reused',
      'This Idempotency-Key was used with a different request. Use a new key for a new request.',
    );
  }
}

export class IdempotencyInProgress extends DomainError {
  constructor() {
    super(
      'conflict',
      'idempotency_in_progress',
      'The request with this Idempotency-Key is still in progress. Send it again shortly.',
    );
  }
}
