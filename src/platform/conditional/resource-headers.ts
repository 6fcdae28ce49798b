import type { Response } from 'express';
import { asPublicPath } from '../http/public-url.js';
import type { SentResource } from '../http/request-state.js';
import { versionOfText } from './etag.js';

/** The metadata of a handler with a {@link SentResource}. */
export const SENT_RESOURCE = 'conditional:sent-resource';

export const sentResource = (handler: object): SentResource | undefined =>
  Reflect.getMetadata(SENT_RESOURCE, handler) as SentResource | undefined;

/**
 * Sets the `Location` of a new resource whose `id` is at the top of the body, unless the handler has set one.
 */
export function addLocation(response: Response, body: unknown): void {
  const { req: request, statusCode } = response;
  if (request.sentResource?.isNew !== true || statusCode >= 300 || response.hasHeader('Location')) return;
  const id = typeof body === 'object' && body !== null && 'id' in body ? body.id : undefined;
  if (!['string', 'number', 'bigint'].includes(typeof id)) return;
  const collection = request.path.replace(/\/$/, '');
  response.location(asPublicPath(response, `${collection}/${encodeURIComponent(String(id))}`));
}

/** Sets the `ETag` of a changed or new resource, unless the handler has set one. */
export function addResourceTag(response: Response, text: string): void {
  if (response.req.sentResource?.etag !== true || response.statusCode >= 300 || response.hasHeader('ETag'))
    return;
  response.setHeader('ETag', versionOfText(text));
}
