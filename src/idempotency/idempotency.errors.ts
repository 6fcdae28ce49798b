import { DomainError } from '../kernel/errors/domain-error.js';

export class IdempotencyKeyReused extends DomainError {
  constructor() {
    super(
      'unprocessable',
      'idempotency_key_reused',
      'Another request was sent with this Idempotency-Key before. A new request needs a new key.',
    );
  }
}

export class IdempotencyInProgress extends DomainError {
  constructor() {
    super(
      'conflict',
      'idempotency_in_progress',
      'The request with this Idempotency-Key is still being worked on. Send it again shortly.',
    );
  }
}
