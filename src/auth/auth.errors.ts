import { DomainError } from '../kernel/errors/domain-error.js';

export class MissingApiKey extends DomainError {
  constructor() {
    super('unauthenticated', 'missing_api_key', 'Send an API key: Authorization: Bearer <API_KEY>.');
  }
}

/** The same for an unknown, mistyped, revoked, expired and rotated-out key: nobody learns which keys once existed. */
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
