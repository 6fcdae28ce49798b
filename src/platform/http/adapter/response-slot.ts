import type { Express, Request, Response } from 'express';
import { ServerResponse } from 'node:http';

/** What gives a request its slot. An object, not a function: V8 would keep one that is assigned to a property in the old generation. */
export interface SlotSource {
  /** Takes a slot, at once or when the request is next. @throws ServiceUnavailable */
  takeSlot(request: Request, response: Response): true | Promise<true>;
}

/** What a request holds until its response begins. */
export interface ResponseSlot {
  readonly isFree: boolean;
  /** Does nothing if it is free already. */
  free(): void;
}

declare module 'express-serve-static-core' {
  interface Request {
    /** The place of the request among those of its client that are at work. */
    slot?: ResponseSlot;
    /** Gives it that place. `BodyGuard` asks when the body has been read. */
    slotSource?: SlotSource;
  }
}

/**
 * What begins a response, or gives it up. On a closed connection Node.js writes no head for a response with a body: there, only the call
 * tells that the work has come to its end.
 */
const BEGINNINGS = [
  'writeHead',
  'write',
  'end',
  'destroy',
] as const satisfies readonly (keyof ServerResponse)[];

/** Frees the slot of each request when its response begins, whoever makes it; so streams hold none. */
export function freeSlots({ response }: Express): void {
  const prototype: Record<string, (...args: unknown[]) => unknown> = ServerResponse.prototype as never;
  for (const name of BEGINNINGS)
    Object.defineProperty(response, name, {
      value(this: Response, ...args: unknown[]) {
        this.req.slot?.free();
        return prototype[name]?.apply(this, args);
      },
      writable: true, // middleware such as compression or sessions puts its own before it
      configurable: true,
    });
}

/**
 * Frees a slot when a stream is led into the response to a closed connection, or away from it. Whoever sends a file stops it as soon as
 * its reader has gone, and then calls none of the above.
 */
export function freeSlotOfStream(slot: ResponseSlot, response: Response): void {
  const free = () => {
    slot.free();
  };
  response.once('pipe', free).once('unpipe', free);
}
