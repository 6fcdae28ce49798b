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

/** Whether the path's percent-encoding is valid UTF-8 (RFC 3986, section 2.1). */
export function isDecodable(path: string): boolean {
  if (!path.includes('%')) return true;
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/** Replaces such a path. A client that requests this path gets the same error, for `<` is not valid in a path. */
export const UNDECODABLE = '/v1/<undecodable>';

/**
 * Express responds to a path that it cannot decode before any guard. Rewritten to a path without a route, the request
 * passes the pipeline and gets a 400 at its end.
 */
export function undecodablePath(request: Request): void {
  if (request.path.startsWith('/v1/') && !isDecodable(request.path)) request.url = UNDECODABLE;
}
