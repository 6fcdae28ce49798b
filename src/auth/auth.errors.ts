import { SERVICE } from '../kernel/service.js';
import { StartupError } from '../kernel/errors/common.errors.js';
import { DomainError } from '../kernel/errors/domain-error.js';
import type { Int64 } from '../kernel/json/int64.js';

export class MissingApiKey extends DomainError {
  constructor() {
    super('unauthenticated', 'missing_api_key', 'Send an API key: Authorization: Bearer <API_KEY>.');
  }
}

/** Does not distinguish unknown, mistyped, revoked, expired and rotated keys, so that it does not reveal which keys existed. */
export class InvalidApiKey extends DomainError {
  constructor() {
    super('unauthenticated', 'invalid_api_key', 'This API key is not valid.');
  }
}

export class InsufficientScope extends DomainError {
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
