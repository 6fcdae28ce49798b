import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { InvalidJson, PayloadTooLarge, UnreadableBody, UnsupportedMediaType } from './body.errors.js';
import { JsonError, parseJson } from '../../kernel/json/parse-json.js';

const LIMIT = 100 * 1024; // bytes, also after decompression

type Decode = (bytes: Buffer, options: { readonly maxOutputLength: number }) => Promise<Buffer>;

const DECODERS: ReadonlyMap<string, Decode> = new Map([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)], // an alias (RFC 9110, section 8.4.1.3)
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
]);

/** @throws PayloadTooLarge for a `Content-Length` above the limit */
export function checkLength({ headers }: IncomingMessage): void {
  if (Number(headers['content-length'] ?? 0) > LIMIT) throw new PayloadTooLarge('100 KiB');
}

/**
 * The decompressed bytes of a body. A body above the limit is rejected immediately; the rest is read and discarded, so that
 * the client can read the response.
 * @throws PayloadTooLarge, UnsupportedMediaType, UnreadableBody
 */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const decode = decoderFor(request);
  const bytes = await collect(request);
  return decode ? decode(bytes, { maxOutputLength: LIMIT }).catch(explain) : bytes;
}

function decoderFor({ headers }: IncomingMessage): Decode | undefined {
  const encoding = (headers['content-encoding'] ?? 'identity').toLowerCase();
  if (encoding === 'identity') return undefined;
  const decode = DECODERS.get(encoding);
  if (!decode) throw new UnsupportedMediaType('Send the body plain, or as gzip, deflate or br.');
  return decode;
}

function collect(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= LIMIT) chunks.push(chunk);
      else reject(new PayloadTooLarge('100 KiB'));
    });
    request.once('end', () => {
      resolve(Buffer.concat(chunks));
    });
    request.on('error', () => undefined); // it also closes
    request.once('close', () => {
      if (!request.readableEnded) reject(new UnreadableBody());
    });
  });
}

function explain(error: NodeJS.ErrnoException): never {
  throw error.code === 'ERR_BUFFER_TOO_LARGE' ? new PayloadTooLarge('100 KiB') : new UnreadableBody();
}

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
