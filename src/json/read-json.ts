import bodyParser from 'body-parser';
import type { Request, Response } from 'express';
import { parseJson } from './exact-numbers.js';
import { InvalidJson, PayloadTooLarge, UnsupportedMediaType } from './json.errors.js';

const readBytes = bodyParser.raw({ type: () => true, limit: '100kb' }); // 102 400 bytes, after decompression
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const JSON_MEDIA_TYPE = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?;?\s*$/i;

/**
 * Reads and parses a request's body; `undefined` where there is none.
 * @throws UnsupportedMediaType, PayloadTooLarge, InvalidJson
 */
export async function readJson(request: Request, response: Response): Promise<unknown> {
  if (!hasBody(request)) return undefined;
  if (!JSON_MEDIA_TYPE.test(request.headers['content-type'] ?? '')) throw new UnsupportedMediaType();
  return parse(await bytes(request, response));
}

function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function parse(body: Buffer): unknown {
  try {
    return parseJson(utf8.decode(body));
  } catch {
    throw new InvalidJson(); // also for text nested so deep that the exact parser runs out of stack
  }
}

function bytes(request: Request, response: Response): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    readBytes(request, response, (error?: unknown) => {
      if (error) reject(meaningOf(error));
      else resolve(Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0));
    });
  });
}

function meaningOf(error: unknown): Error {
  const type = error instanceof Error && 'type' in error ? error.type : undefined;
  if (type === 'entity.too.large') return new PayloadTooLarge('100 KiB');
  if (type === 'encoding.unsupported')
    return new UnsupportedMediaType('Send the body plain, or as gzip, deflate or br.');
  return new InvalidJson(); // cut off, of another length than announced, or not what its Content-Encoding says
}
