import type { Express, Response } from 'express';
import { ServerResponse } from 'node:http';
import type { Slot } from '../request-state.js';

/**
 * Calls that show that the handler is done, also on a closed connection, where Node.js writes no head for a
 * response with a body.
 */
const BEGINNINGS = [
  'writeHead',
  'write',
  'end',
  'destroy',
] as const satisfies readonly (keyof ServerResponse)[];

/** Releases the slot of each request when its response begins, whoever makes it; so streams hold none. */
export function releaseSlots({ response }: Express): void {
  const prototype: Record<string, (...args: unknown[]) => unknown> = ServerResponse.prototype as never;
  for (const name of BEGINNINGS)
    Object.defineProperty(response, name, {
      value(this: Response, ...args: unknown[]) {
        this.req.slot?.release();
        return prototype[name]?.apply(this, args);
      },
      writable: true, // middleware such as compression or sessions puts its own before it
      configurable: true,
    });
}

/**
 * Releases a slot when a stream is piped into the response to a closed connection, or unpiped from it. Whoever
 * sends a file stops it as soon as its reader has gone, and then calls none of the above.
 */
export function releaseSlotOfStream(slot: Slot, response: Response): void {
  const release = () => {
    slot.release();
  };
  response.once('pipe', release).once('unpipe', release);
}
