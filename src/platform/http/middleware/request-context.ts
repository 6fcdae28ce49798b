import type { NextFunction, Request, Response } from 'express';
import { randomUUID } from 'node:crypto';
import { isDecodable } from '../../errors/route.errors.js';

export type Step = (request: Request, response: Response) => void;

/** Runs the steps before the first guard. */
export function requestContext(...steps: readonly Step[]) {
  return (request: Request, response: Response, next: NextFunction): void => {
    for (const step of steps) step(request, response);
    next();
  };
}

/** Short, printable ASCII. */
const ACCEPTABLE = /^[\x21-\x7e]{1,128}$/;

declare module 'express-serve-static-core' {
  interface Request {
    /** Identifies the request in the `X-Request-Id` of its response and in the log. */
    id: string;
    /** The internal cause of a failure; logged, never sent. */
    reason?: string;
  }
}

/** Uses the `X-Request-Id` of the request if it is short and printable, otherwise a UUID. */
export function requestId(request: Request, response: Response): void {
  const sent = request.headers['x-request-id'];
  request.id = typeof sent === 'string' && ACCEPTABLE.test(sent) ? sent : randomUUID();
  response.setHeader('X-Request-Id', request.id);
}

/** Replaces a path that cannot be decoded. A request for this very path gets the same error: `<` is not valid in a path. */
export const UNDECODABLE = '/v1/<undecodable>';

/**
 * Rewrites a path that cannot be decoded, so that the request passes through the pipeline and then gets 400. Otherwise
 * Express would respond before any guard.
 */
export function undecodablePath(request: Request): void {
  const { path } = request;
  if (path.includes('%') && path.startsWith('/v1/') && !isDecodable(path)) request.url = UNDECODABLE;
}
