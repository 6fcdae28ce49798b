import type { Express, Response } from 'express';
import { ServerResponse } from 'node:http';

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
    /** Waits for that place, where the request has to. `BodyGuard` calls it when the body has been read. */
    takeSlot?: () => true | Promise<true>;
  }
}

/** Frees the slot of each request at the head of its response, whoever writes it; so streams hold none. */
export function freeSlotsAtHead({ response }: Express): void {
  Object.defineProperty(response, 'writeHead', {
    value(this: Response, ...args: Parameters<ServerResponse['writeHead']>) {
      this.req.slot?.free();
      return ServerResponse.prototype.writeHead.apply(this, args);
    },
    writable: true, // middleware such as compression or sessions puts its own before it
    configurable: true,
  });
}
