import type { IncomingMessage, RequestListener, Server } from 'node:http';
import { TooManyChunks } from './client-errors.js';

/** Bytes of a chunk, on average, from which on their number does not matter. Each chunk costs as much as hundreds of bytes. */
const ENOUGH = 4;
/** Bytes of a block of small chunks. */
const BLOCK = 1_024;

/**
 * Bounds what a body in tiny chunks takes. More than a quarter as many chunks as a body may have bytes, with less than four bytes each,
 * are refused with 413. Fewer are put together before anything reads them: Node.js makes an object of 200 bytes for each, and
 * thousands may wait in the stream.
 */
export const boundChunks =
  (server: Server, maxBodyBytes: number, listener: RequestListener): RequestListener =>
  (request, response) => {
    if (request.headers['transfer-encoding'] !== undefined)
      watchChunks(request, maxBodyBytes / ENOUGH, () => {
        server.emit('clientError', new TooManyChunks(response), request.socket);
      });
    listener(request, response);
  };

function watchChunks(request: IncomingMessage, max: number, refuse: () => void): void {
  const push = request.push.bind(request);
  let chunks = 0;
  let bytes = 0;
  let isRefused = false;
  let block: Buffer | undefined;
  let used = 0;
  const flush = () => {
    const filled = block?.subarray(0, used);
    block = undefined;
    return filled === undefined || push(filled);
  };
  request.push = (chunk: Buffer | null) => {
    if (isRefused) return true; // thrown away, its end too: nothing may take a part of a body for the whole
    if (chunk === null) {
      flush();
      return push(chunk);
    }
    chunks += 1;
    bytes += chunk.length;
    if (chunks > max && bytes < ENOUGH * chunks) {
      isRefused = true;
      setImmediate(refuse); // after a refusal that needs no I/O, such as 401
      return true;
    }
    if (used + chunk.length > BLOCK) flush();
    if (chunk.length > BLOCK) return push(chunk);
    if (!block) {
      block = Buffer.allocUnsafe(BLOCK);
      used = 0;
      setImmediate(flush);
    }
    used += chunk.copy(block, used);
    return request.readableLength < request.readableHighWaterMark;
  };
}
