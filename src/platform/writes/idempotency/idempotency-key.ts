import { parameterError } from '../../kernel/errors/field-error.js';
import { ValidationFailed } from '../../kernel/errors/common.errors.js';

export const IDEMPOTENCY_KEY = 'Idempotency-Key';

/** Printable ASCII without spaces, which most clients send. */
const BARE = /^[!#-~][!-~]{0,254}$/;
/** A string of RFC 9651, section 3.3.3, which the IETF draft requires. */
const QUOTED = /^"(?:[ !#-[\]-~]|\\["\\]){1,255}"$/;

/** The form of a value, for the OpenAPI document. */
export const IDEMPOTENCY_KEY_PATTERN = `${BARE.source}|${QUOTED.source}`;

/**
 * Returns the key in the `Idempotency-Key` header: 1 to 255 characters. A quoted string is the same key as
 * the bare text.
 * @throws ValidationFailed for anything else, or if the header occurs more than once
 */
export function idempotencyKey(values: readonly string[]): string {
  const [value = '', ...more] = values;
  if (more.length === 0 && BARE.test(value)) return value;
  if (more.length === 0 && QUOTED.test(value)) return value.slice(1, -1).replace(/\\(.)/g, '$1');
  throw malformedKey();
}

/** For a header that is no key. */
export const malformedKey = (): ValidationFailed =>
  invalid(
    'format',
    `${IDEMPOTENCY_KEY} must be one key of 1 to 255 printable ASCII characters, in quotes if it has spaces`,
  );

/** For a client without an API key, whose repeats cannot be told from other clients' requests. */
export const keyWithoutClient = (): ValidationFailed =>
  invalid('invalid', `${IDEMPOTENCY_KEY} can be used with an API key only`);

/** For a POST that is not `@Idempotent()`. */
export const keyNotSupported = (): ValidationFailed =>
  invalid('invalid', `This operation does not support ${IDEMPOTENCY_KEY}`);

/** For a body that only the handler reads. It cannot be compared with that of a repeat. */
export const keyWithUnreadBody = (): ValidationFailed =>
  invalid('invalid', `${IDEMPOTENCY_KEY} cannot be used with a body of this media type`);

const invalid = (code: string, message: string): ValidationFailed =>
  new ValidationFailed([parameterError('header', [IDEMPOTENCY_KEY], { code, message })]);
