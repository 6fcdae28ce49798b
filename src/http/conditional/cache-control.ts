import type { Request, Response } from 'express';

/** An array, so that it can be told from a `no-store` that a handler has set itself. */
export const NO_STORE = ['no-store'];

/** Under `/v1` nothing is kept by a cache, unless it gets an `ETag` or a `Cache-Control` of its own. */
export function neverStored({ url }: Request, response: Response): void {
  if (url.startsWith('/v1')) response.setHeader('Cache-Control', NO_STORE);
}
