import type { IncomingMessage } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { DomainError } from '../../kernel/errors/domain-error.js';
import { PayloadTooLarge, UnreadableBody, UnsupportedMediaType } from './json.errors.js';

const LIMIT = 100 * 1024; // bytes, after decompression

const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip], // the same (RFC 9110, section 8.4.1.3)
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/** @throws PayloadTooLarge for a body that its length announces as too large */
export function checkLength({ headers }: IncomingMessage): void {
  if (Number(headers['content-length'] ?? 0) > LIMIT) throw new PayloadTooLarge('100 KiB');
}

/**
 * The bytes of a request's body, decompressed. A body that is too large is refused as soon as that is known: the
 * answer does not wait for the rest, which is thrown away as it comes, so that the client gets to read the answer.
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
    stream.on('error', reject); // also after the first: an error without a listener ends the process
    stream.once('close', () => {
      if (!stream.readableEnded) reject(new UnreadableBody());
    });
  });
}
