import type { NextFunction, Request, Response } from 'express';
import { randomUUID } from 'node:crypto';

export type Step = (request: Request, response: Response) => void;

/** The steps before the first guard. A request whose client has disconnected ends here. */
export function requestContext(...steps: readonly Step[]) {
  return (request: Request, response: Response, next: NextFunction): void => {
    for (const step of steps) step(request, response);
    if (!request.socket.destroyed) next();
  };
}

/** Short, printable ASCII. */
const ACCEPTABLE = /^[\x21-\x7e]{1,128}$/;

declare module 'express-serve-static-core' {
  interface Request {
    /** Identifies the request in the `X-Request-Id` of its response and in the log. */
    id: string;
  }
}

/** Uses the `X-Request-Id` of the request if it is short and printable, otherwise a UUID. */
export function requestId(request: Request, response: Response): void {
  const sent = request.headers['x-request-id'];
  request.id = typeof sent === 'string' && ACCEPTABLE.test(sent) ? sent : randomUUID();
  response.setHeader('X-Request-Id', request.id);
}
