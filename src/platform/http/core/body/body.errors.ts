import { DomainError } from '../../../kernel/errors/domain-error.js';

export class InvalidJson extends DomainError {
  static override readonly help = {
    meaning: 'The body is not JSON, is truncated, or does not match its `Content-Encoding`.',
    action: 'Write the body with a JSON library. The message gives the line and column.',
  };

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
  static override readonly help = {
    meaning: 'The body exceeds the limit, compressed or uncompressed.',
    action: 'Send less per request.',
  };

  /** @param limit bytes */
  constructor(limit = 16_384) {
    const size = limit % 1_024 === 0 ? `${limit / 1_024} KiB` : `${limit} bytes`;
    super('too_large', 'payload_too_large', `The body is larger than ${size}.`);
  }
}

/** The message for an unknown `Content-Encoding`, and for a form in another charset. */
export const ENCODING = 'Send the body in UTF-8, plain or as gzip, deflate or br.';

export class UnsupportedMediaType extends DomainError {
  static override readonly help = {
    meaning: 'The operation does not accept the media type, charset or `Content-Encoding` of the body.',
    action: 'Send UTF-8 JSON with a `Content-Type` that the operation accepts, such as `application/json`.',
  };

  constructor(message = 'Send the body as application/json.') {
    super('unsupported_media_type', 'unsupported_media_type', message);
  }

  /** @param types the media types that the operation accepts */
  static expecting(types: readonly string[] = ['application/json']): UnsupportedMediaType {
    const error = new UnsupportedMediaType(`Send the body as ${types.join(' or ')}.`);
    error.acceptedTypes = types;
    return error;
  }
}
