import type { Response } from 'express';
import { asPublicPath } from '../http/public-url.js';
import { versionOfText } from './etag.js';

/** What the successful response of a handler is, beside its body. */
export interface SentResource {
  /** Whether it is the resource as a GET returns it, so that it has the `ETag` of that. */
  readonly etag: boolean;
  /** Whether the resource is a new one, below the path of the request. */
  readonly isNew?: boolean;
}

declare module 'express-serve-static-core' {
  interface Request {
    /** Of its handler. `AccessGuard` sets it. */
    sends?: SentResource | undefined;
  }
}

/** The metadata of a handler with a {@link SentResource}. */
export const SENDS = 'conditional:sends';

export const sentResource = (handler: object): SentResource | undefined =>
  Reflect.getMetadata(SENDS, handler) as SentResource | undefined;

/** Sets the `Location` of a new resource whose `id` is at the top of the body, unless the handler has set one. */
export function addLocation(response: Response, body: unknown): void {
  const { req: request, statusCode } = response;
  if (request.sends?.isNew !== true || statusCode >= 300 || response.hasHeader('Location')) return;
  const id = typeof body === 'object' && body !== null && 'id' in body ? body.id : undefined;
  if (!['string', 'number', 'bigint'].includes(typeof id)) return;
  const collection = request.path.replace(/\/$/, '');
  response.location(asPublicPath(response, `${collection}/${encodeURIComponent(String(id))}`));
}

/** Sets the `ETag` of a changed or new resource, unless the handler has set one. */
export function addResourceTag(response: Response, text: string): void {
  if (response.req.sends?.etag !== true || response.statusCode >= 300 || response.hasHeader('ETag')) return;
  response.setHeader('ETag', versionOfText(text));
}
