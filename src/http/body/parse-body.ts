import { JsonError, parseJson } from '../../kernel/json/parse-json.js';
import { InvalidJson } from './json.errors.js';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The value of a JSON body. @throws InvalidJson */
export function parseBody(bytes: Buffer): unknown {
  try {
    return parseJson(decode(bytes));
  } catch (error) {
    throw error instanceof JsonError ? new InvalidJson(error.message) : error;
  }
}

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new InvalidJson('it is not UTF-8');
  }
}
