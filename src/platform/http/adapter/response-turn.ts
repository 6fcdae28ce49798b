import type { Express, Response } from 'express';
import { ServerResponse } from 'node:http';

/** What a request holds until its response begins. */
export interface ResponseTurn {
  readonly hasEnded: boolean;
  /** Does nothing if it has ended already. */
  end(): void;
}

declare module 'express-serve-static-core' {
  interface Request {
    /** The place of the request among those of its client that are at work. */
    turn?: ResponseTurn;
  }
}

/** Ends the turn of each request at the head of its response, whoever writes it; so streams hold none. */
export function endTurnsAtHead({ response }: Express): void {
  Object.defineProperty(response, 'writeHead', {
    value(this: Response, ...args: Parameters<ServerResponse['writeHead']>) {
      this.req.turn?.end();
      return ServerResponse.prototype.writeHead.apply(this, args);
    },
    writable: true, // middleware such as compression or sessions puts its own before it
    configurable: true,
  });
}
