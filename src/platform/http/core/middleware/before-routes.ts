import type { NextFunction, Request, Response } from 'express';
import { randomUUID } from 'node:crypto';
import { isDecodable } from '../../../kernel/errors/route.errors.js';

export type Step = (request: Request, response: Response) => void;

/** Runs the steps before the first guard. */
export function beforeRoutes(...steps: readonly Step[]) {
  return (request: Request, response: Response, next: NextFunction): void => {
    for (const step of steps) step(request, response);
    next();
  };
}

/** Short, printable ASCII. */
const ACCEPTABLE = /^[\x21-\x7e]{1,128}$/;

/** Uses the `X-Request-Id` of the request if it is short and printable, otherwise a UUID. */
export function setRequestId(request: Request, response: Response): void {
  const sent = request.headers['x-request-id'];
  request.id = typeof sent === 'string' && ACCEPTABLE.test(sent) ? sent : randomUUID();
  response.setHeader('X-Request-Id', request.id);
}

/**
 * Replaces a path that cannot be decoded. A request for this very path gets the same error: `<` is not valid
 * in a path.
 */
export const UNDECODABLE = '/v1/<undecodable>';

/** Replaces a path with so many segments that no route can have it. */
export const TOO_DEEP = '/v1/<too-deep>';
const MAX_SEGMENTS = 32;

/**
 * Rewrites a path that no route can have, so that the request passes through the pipeline and then gets 400
 * or 404. Otherwise Express would respond before any guard to one that cannot be decoded, and compare a long
 * one with each route.
 */
export function replaceImpossiblePath(request: Request): void {
  const { path } = request;
  if (!path.startsWith('/v1/')) return;
  if (path.includes('%') && !isDecodable(path)) request.url = UNDECODABLE;
  else if (path.length > MAX_SEGMENTS && path.split('/', MAX_SEGMENTS + 2).length > MAX_SEGMENTS + 1)
    request.url = TOO_DEEP;
}
