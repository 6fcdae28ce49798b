import { SERVICE } from '../config/service.js';
import { StartupError } from '../config/startup-error.js';
import { DomainError } from '../errors/domain-error.js';
import type { Int64 } from '../json/int64.js';

export class MissingApiKey extends DomainError {
  static override readonly help = {
    meaning: 'The request has no API key.',
    action: 'Send `Authorization: Bearer <API_KEY>`.',
  };

  constructor() {
    super('unauthenticated', 'missing_api_key', 'Send an API key: Authorization: Bearer <API_KEY>.');
  }
}

/** Does not distinguish unknown, mistyped, revoked, expired and rotated keys, so that it does not reveal which keys existed. */
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

export class InsufficientScope extends DomainError {
  static override readonly help = {
    meaning: 'The key is valid but lacks the scope that the operation needs.',
    action: 'Use another key, or ask the operator to add the scope.',
  };

  constructor(scope: string) {
    super('forbidden', 'insufficient_scope', `This API key lacks the scope ${scope}.`);
  }
}

export class KeyIsRevoked extends StartupError {
  constructor(id: Int64) {
    super(`Key ${id} is revoked permanently. To create a new key, run petstore keys create.`);
  }
}

export class KeyHasExpired extends StartupError {
  constructor(id: Int64, expiresAt: Date) {
    super(
      `Key ${id} expired at ${expiresAt.toISOString()}. To extend it, run petstore keys update ${id} --expires <when>.`,
    );
  }
}

/** The value of `WWW-Authenticate` (RFC 6750, section 3). */
export const challenge = (parameters: Readonly<Record<string, string>> = {}): string =>
  `Bearer ${Object.entries({ realm: SERVICE.prefix, ...parameters })
    .map(([name, value]) => `${name}="${value}"`)
    .join(', ')}`;
