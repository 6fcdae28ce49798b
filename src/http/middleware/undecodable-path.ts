import type { Request } from 'express';

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
