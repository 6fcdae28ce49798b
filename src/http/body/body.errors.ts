import { DomainError } from '../../kernel/errors/domain-error.js';

export class InvalidJson extends DomainError {
  /** @param reason the error and its position */
  constructor(reason = 'an unexpected end at line 1, column 9') {
    super('invalid', 'invalid_json', `The body is not valid JSON: ${reason}.`);
  }
}

/** A truncated body, or one that does not match its `Content-Encoding`. */
export class UnreadableBody extends DomainError {
  constructor() {
    super('invalid', 'invalid_json', 'The body is truncated, or does not match its Content-Encoding.');
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

  /** @param types the media types that the operation accepts */
  static expecting(types: readonly string[]): UnsupportedMediaType {
    return new UnsupportedMediaType(`Send the body as ${types.join(' or ')}.`);
  }
}
