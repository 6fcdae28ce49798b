import type { IncomingMessage } from 'node:http';
import { DomainError } from '../../kernel/errors/domain-error.js';
import { parseJson } from '../../kernel/json/exact-numbers.js';
import { InvalidJson, UnsupportedMediaType } from './json.errors.js';
import { isJsonMediaType } from './media-type.js';
import { readBody } from './read-body.js';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads and parses a request's body; `undefined` where there is none.
 * @throws UnsupportedMediaType, PayloadTooLarge, InvalidJson
 */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  if (!hasBody(request)) return undefined;
  if (!isJsonMediaType(request.headers['content-type'] ?? '')) throw new UnsupportedMediaType();
  try {
    return parseJson(utf8.decode(await readBody(request)));
  } catch (error) {
    if (error instanceof DomainError) throw error;
    throw new InvalidJson(); // cut off, not what its Content-Encoding says, no UTF-8, or no JSON
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
