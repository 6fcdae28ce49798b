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

/** Where such a request is sent. A client that asks for this very path is told the same, and rightly: `<` is not valid in one. */
export const UNDECODABLE = '/v1/<undecodable>';

/**
 * Express answers a path it cannot decode before any route, and so before any guard. Sent to a path that no
 * route has, such a request takes the same way as every other one and is refused at its end with a 400.
 */
export function undecodablePath(request: Request): void {
  if (request.path.startsWith('/v1/') && !isDecodable(request.path)) request.url = UNDECODABLE;
}
