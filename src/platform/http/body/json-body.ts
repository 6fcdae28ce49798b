import { JsonError, parseJson } from '../../json/parse-json.js';
import { InvalidJson } from './body.errors.js';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** @throws InvalidJson */
export function parseBody(bytes: Buffer): unknown {
  try {
    return parseJson(textOf(bytes));
  } catch (error) {
    throw error instanceof JsonError ? new InvalidJson(error.message) : error;
  }
}

function textOf(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new InvalidJson('it is not UTF-8');
  }
}

/** Whether a `Content-Type` is JSON, in any charset. No regular expression: the cost is linear in the header's length. */
export function isJson(contentType: string): boolean {
  return typeOf(contentType) === 'application/json';
}

/** Whether a `Content-Type` has the suffix of JSON, such as `application/merge-patch+json`. */
export function isJsonSuffix(contentType: string): boolean {
  const type = typeOf(contentType);
  return type.startsWith('application/') && type.endsWith('+json');
}

const typeOf = (contentType: string): string => (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();

/** False for another charset only: JSON defines no parameters (RFC 8259, section 11), so others are ignored. */
export function isUtf8(contentType: string): boolean {
  const [, ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase());
  return parameters.every(isHarmless);
}

function isHarmless(parameter: string): boolean {
  const [name = '', value = ''] = parameter.split('=', 2).map((part) => part.trim());
  return name !== 'charset' || value === 'utf-8' || value === '"utf-8"';
}
