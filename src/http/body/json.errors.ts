import { DomainError } from '../../kernel/errors/domain-error.js';

export class InvalidJson extends DomainError {
  constructor() {
    super('invalid', 'invalid_json', 'The body is not valid JSON in UTF-8 (RFC 8259), or nested too deep.');
  }
}

export class PayloadTooLarge extends DomainError {
  constructor(limit: string) {
    super('too_large', 'payload_too_large', `The body is larger than ${limit}.`);
  }
}

export class UnsupportedMediaType extends DomainError {
  constructor(message = 'Send the body as application/json.') {
    super('unsupported_media_type', 'unsupported_media_type', message);
  }
}
