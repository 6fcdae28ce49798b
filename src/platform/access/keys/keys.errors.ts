import { StartupError } from '../../kernel/config/startup-error.js';
import { DomainError } from '../../kernel/errors/domain-error.js';
import type { Int64 } from '../../kernel/json/int64.js';
import { service } from '../../kernel/config/service.js';

/**
 * Does not distinguish unknown, mistyped, revoked, expired and rotated keys, so that it does not reveal which
 * keys existed.
 */
export class InvalidApiKey extends DomainError {
  static override readonly help = {
    meaning:
      'The API key is unknown, mistyped, revoked, expired or replaced. The response does not say which.',
    action: 'Do not repeat the request. Check the key, or ask the operator for a new one.',
  };

  constructor() {
    super('unauthenticated', 'invalid_api_key', 'This API key is not valid.');
  }
}

/** @param retryAfter seconds */
export class TooManyRotations extends DomainError {
  static override readonly help = {
    meaning: 'The key has been rotated ten times in 24 hours by this call.',
    action: 'Wait for the seconds in `Retry-After`. The operator can rotate the key at any time.',
  };

  constructor(override readonly retryAfter: number) {
    super(
      'rate_limited',
      'too_many_rotations',
      `A key can rotate itself ten times in 24 hours. Try again in ${retryAfter} s.`,
    );
  }
}

export class KeyIsRevoked extends StartupError {
  constructor(id: Int64) {
    super(`Key ${id} is revoked permanently. To create a new key, run ${service().program} keys create.`);
  }
}

export class KeyHasExpired extends StartupError {
  constructor(id: Int64, expiresAt: Date) {
    super(
      `Key ${id} expired at ${expiresAt.toISOString()}. To extend it, run ${service().program} keys update ${id} --expires <when>.`,
    );
  }
}
