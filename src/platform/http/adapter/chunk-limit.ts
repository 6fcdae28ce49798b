import type { IncomingMessage, RequestListener, Server } from 'node:http';
import { TooManyChunks } from './client-errors.js';

/** Bytes of a chunk, on average, from which on their number does not matter. Each chunk costs as much as hundreds of bytes. */
const ENOUGH = 4;

/**
 * Refuses bodies in tiny chunks with 413: more than a quarter as many chunks as a body may have bytes, with less than four bytes
 * each. They are counted where Node.js hands them over: before anything reads them, thousands may be waiting in the stream.
 */
export const limitChunks =
  (server: Server, maxBodyBytes: number, listener: RequestListener): RequestListener =>
  (request, response) => {
    if (request.headers['transfer-encoding'] !== undefined)
      countChunks(request, maxBodyBytes / ENOUGH, () => {
        server.emit('clientError', new TooManyChunks(response), request.socket);
      });
    listener(request, response);
  };

function countChunks(request: IncomingMessage, max: number, refuse: () => void): void {
  const push = request.push.bind(request);
  let chunks = 0;
  let bytes = 0;
  let isRefused = false;
  request.push = (chunk: Buffer | null) => {
    if (isRefused) return true; // thrown away, its end too: nothing may take a part of a body for the whole
    if (chunk === null) return push(chunk);
    chunks += 1;
    bytes += chunk.length;
    if (chunks <= max || bytes >= ENOUGH * chunks) return push(chunk);
    isRefused = true;
    setImmediate(refuse); // after a refusal that needs no I/O, such as 401
    return true;
  };
}
