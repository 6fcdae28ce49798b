import { DomainError } from '../../kernel/errors/domain-error.js';

export class IdempotencyKeyReused extends DomainError {
  static override readonly help = {
    meaning: 'The `Idempotency-Key` was used with a different body, method, path or query.',
    action: 'Use a new key for each new request. Repeat a request without any change.',
  };

  constructor() {
    super(
      'unprocessable',
      'idempotency_key_reused',
      'This Idempotency-Key was used with a different request. Use a new key for a new request.',
    );
  }
}

export class IdempotencyInProgress extends DomainError {
  static override readonly help = {
    meaning: 'The first request with this `Idempotency-Key` is still running.',
    action: 'Wait for the seconds in `Retry-After`, then send the same request with the same key.',
  };

  constructor() {
    super(
      'conflict',
      'idempotency_in_progress',
      'The request with this Idempotency-Key is still in progress. Send it again shortly.',
    );
    this.retryAfter = 1; // transactions end sooner
  }
}
