import type { IncomingMessage } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { PayloadTooLarge, UnsupportedMediaType } from './json.errors.js';

const LIMIT = 100 * 1024; // bytes, after decompression

const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip], // the same (RFC 9110, section 8.4.1.3)
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/**
 * The bytes of a request's body, decompressed. A body that is too large is refused as soon as that is known: the
 * answer does not wait for the rest, which is thrown away as it comes, so that the client gets to read the answer.
 * @throws PayloadTooLarge, UnsupportedMediaType, and what a stream throws that is cut off or not what it claims to be
 */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > LIMIT) throw new PayloadTooLarge('100 KiB');
  const decoder = decoderFor(request);
  if (!decoder) return collect(request);
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
    stream.once('error', reject);
  });
}
