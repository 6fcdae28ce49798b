import type { Express, Response } from 'express';
import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Slot } from '../request-state.js';
import { closeLate } from './linger.js';

/** A setting of the application: the service stops. */
const ENDING = 'connections end';

type WriteHead = (this: ServerResponse, ...args: unknown[]) => ServerResponse;

/**
 * Makes a response the last one of its connection if the service may end that, whoever makes the response
 * (RFC 9112, section 9.6). Otherwise a proxy gives the connection to another client, who gets no response.
 */
export function announceLast(app: Express): void {
  const { response } = app;
  const { writeHead } = response as unknown as { readonly writeHead: WriteHead };
  Object.defineProperty(response, 'writeHead', {
    value(this: Response, ...args: unknown[]) {
      if (!this.req.complete) closeLate(this.socket);
      if (!mayEnd(this.req) && app.disabled(ENDING)) return writeHead.apply(this, args);
      this.setHeader('Connection', 'close');
      return writeHead.apply(this, args.map(withoutConnection)); // `Connection: keep-alive` of an event stream, for example
    },
    writable: true, // middleware such as compression or sessions puts its own before it
    configurable: true,
  });
}

/** Makes each response the last one of its connection from now on, also those to requests that run already. */
export const endConnections = (app: Express): void => void app.enable(ENDING);

/**
 * Whether the rest of a request in chunks could still be malformed, or what one server takes for one request could be
 * two for another, because HTTP/1.0 has no chunks (RFC 9112, section 6.1).
 */
const mayEnd = ({ httpVersion, headers, complete }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined && (!complete || httpVersion === '1.0');

/** @param argument of `writeHead()`: a status, its text, or headers as an object or a flat list */
function withoutConnection(argument: unknown): unknown {
  if (Array.isArray(argument)) return argument.filter((_, i) => !isConnection(argument[i - (i % 2)]));
  if (typeof argument !== 'object' || argument === null) return argument;
  return Object.fromEntries(Object.entries(argument).filter(([name]) => !isConnection(name)));
}

const isConnection = (name: unknown): boolean => String(name).toLowerCase() === 'connection';

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
