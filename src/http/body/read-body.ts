import type { IncomingMessage } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { DomainError } from '../../kernel/errors/domain-error.js';
import { InvalidJson, PayloadTooLarge, UnreadableBody, UnsupportedMediaType } from './body.errors.js';
import { JsonError, parseJson } from '../../kernel/json/parse-json.js';

const LIMIT = 100 * 1024; // bytes, after decompression

const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip], // an alias (RFC 9110, section 8.4.1.3)
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
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
  const decoder = decoderFor(request);
  try {
    return await (decoder ? decode(request, decoder) : collect(request));
  } catch (error) {
    throw error instanceof DomainError ? error : new UnreadableBody();
  }
}

async function decode(request: IncomingMessage, decoder: Transform): Promise<Buffer> {
  request.once('error', (error) => decoder.destroy(error));
  try {
    return await collect(request.pipe(decoder));
  } finally {
    request.unpipe(decoder).resume();
    decoder.destroy();
  }
}

function decoderFor({ headers }: IncomingMessage): Transform | undefined {
  const encoding = (headers['content-encoding'] ?? 'identity').toLowerCase();
  if (encoding === 'identity') return undefined;
  const create = DECODERS.get(encoding);
  if (!create) throw new UnsupportedMediaType('Send the body plain, or as gzip, deflate or br.');
  return create();
}

function collect(stream: Readable): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= LIMIT) chunks.push(chunk);
      else reject(new PayloadTooLarge('100 KiB'));
    });
    stream.once('end', () => {
      resolve(Buffer.concat(chunks));
    });
    stream.on('error', reject); // not once(): a second error without a listener would end the process
    stream.once('close', () => {
      if (!stream.readableEnded) reject(new UnreadableBody());
    });
  });
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
