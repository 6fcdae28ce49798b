import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, type ZlibOptions } from 'node:zlib';
import { ENCODING, PayloadTooLarge, UnreadableBody, UnsupportedMediaType } from './body.errors.js';

/**
 * Reads a body into one buffer. As a list of the pieces in which it was sent, it could take a hundred times
 * its size.
 * @param limit bytes
 * @throws PayloadTooLarge at once; what still comes is thrown away
 * @throws UnreadableBody if the connection closes before the end
 */
export function readBytes(request: IncomingMessage, limit: number): Promise<Buffer> {
  let body: Buffer = Buffer.alloc(0);
  let length = 0;
  return new Promise((resolve, reject) => {
    const stop = () => {
      request.off('data', append).off('end', end).off('close', fail).off('error', fail);
    };
    const append = (chunk: Buffer) => {
      const larger = length + chunk.length;
      if (larger > limit) {
        stop();
        request.resume();
        reject(new PayloadTooLarge(limit));
      } else if (length === 0) body = chunk;
      else {
        if (larger > body.length)
          body = Buffer.concat([body.subarray(0, length)], Math.min(limit, 2 * larger));
        chunk.copy(body, length);
      }
      length = larger;
    };
    const end = () => {
      stop();
      resolve(body.subarray(0, length));
    };
    const fail = () => {
      stop();
      reject(new UnreadableBody());
    };
    request.on('data', append).on('end', end).on('close', fail).on('error', fail);
  });
}

/** Decompresses what was sent. @param limit bytes of the result @throws PayloadTooLarge, UnreadableBody */
type Decoder = (sent: Buffer, limit: number) => Buffer | Promise<Buffer>;

interface Decompressed {
  readonly buffer: Buffer;
  /** Its `bytesWritten` ends with the compressed data, whatever was sent after it. */
  readonly engine: { readonly bytesWritten: number };
}

const decompressor = (decompress: typeof gunzip | typeof inflate | typeof brotliDecompress): Decoder => {
  // With `info`, the result is an object, which the types of Node.js do not say.
  const run = promisify(decompress as unknown as Decompress);
  return async (sent, limit) => {
    const { buffer, engine } = await run(sent, { info: true, maxOutputLength: limit }).catch(
      (error: unknown) => {
        const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
        throw isTooLarge ? new PayloadTooLarge(limit) : new UnreadableBody();
      },
    );
    if (engine.bytesWritten !== sent.length) throw new UnreadableBody();
    return buffer;
  };
};

type Decompress = (
  sent: Buffer,
  options: ZlibOptions,
  callback: (error: Error | null, result: Decompressed) => void,
) => void;

/** By `Content-Encoding` (RFC 9110, section 8.4.1). */
const DECODERS = new Map<string, Decoder>([
  ['identity', (sent) => sent],
  ['', (sent) => sent], // an empty list
  ['gzip', decompressor(gunzip)],
  ['x-gzip', decompressor(gunzip)],
  ['deflate', decompressor(inflate)],
  ['br', decompressor(brotliDecompress)],
]);

/** @throws UnsupportedMediaType */
export function decoderOf({ headers }: IncomingMessage): Decoder {
  const decoder = DECODERS.get((headers['content-encoding'] ?? 'identity').toLowerCase());
  if (!decoder) throw new UnsupportedMediaType(ENCODING);
  return decoder;
}
