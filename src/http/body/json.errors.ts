import { DomainError } from '../../kernel/errors/domain-error.js';

export class InvalidJson extends DomainError {
  /** @param reason what is wrong, and where */
  constructor(reason = 'an unexpected end at line 1, column 9') {
    super('invalid', 'invalid_json', `The body is not valid JSON: ${reason}.`);
  }
}

/** A body that is cut off, or not what its `Content-Encoding` says. */
export class UnreadableBody extends DomainError {
  constructor() {
    super('invalid', 'invalid_json', 'The body ends too early, or is not what its Content-Encoding says.');
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
