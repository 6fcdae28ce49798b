import { service } from '../../kernel/config/service.js';
import { DomainError } from '../../kernel/errors/domain-error.js';

export class MissingApiKey extends DomainError {
  static override readonly help = {
    meaning: 'The request has no API key.',
    action: 'Send `Authorization: Bearer <API_KEY>`.',
  };

  constructor() {
    super('unauthenticated', 'missing_api_key', 'Send an API key: Authorization: Bearer <API_KEY>.');
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

/** The value of `WWW-Authenticate` (RFC 6750, section 3). */
export const challenge = (parameters: Readonly<Record<string, string>> = {}): string =>
  `Bearer ${Object.entries({ realm: service().prefix, ...parameters })
    .map(([name, value]) => `${name}="${value}"`)
    .join(', ')}`;
