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
