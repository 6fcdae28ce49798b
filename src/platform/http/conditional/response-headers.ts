// conditional/ sets `ETag` and `Location`, and compares conditions of requests with them (RFC 9110). No
// caching.

import type { Request, Response } from 'express';
import { hash } from 'node:crypto';
import { asPublicPath } from '../core/public-url.js';
import type { SentResource } from '../core/request-state.js';
import { writeJson } from '../../kernel/json/write-json.js';

/** Compared by identity in `addValidators`: this is the default, not a `no-store` of a handler. */
const NO_STORE = ['no-store'];

const VERSION = /^\/v\d/;

/**
 * Sets the default under `/v1` and other versions, for responses without an `ETag` or a `Cache-Control` of
 * their own.
 */
export function setNoStore({ path }: Request, response: Response): void {
  if (VERSION.test(path)) response.setHeader('Cache-Control', NO_STORE);
}

const isRead = ({ statusCode, req: { method } }: Response): boolean =>
  statusCode === 200 && (method === 'GET' || method === 'HEAD');

/** Sets the `ETag` of the text body of a GET, unless the route has set one. */
export function addValidators(response: Response, body: string): void {
  if (!isRead(response)) return;
  if (!response.hasHeader('ETag')) response.setHeader('ETag', etagOfBody(response, body));
  if (response.getHeader('Cache-Control') === NO_STORE)
    response.setHeader('Cache-Control', 'private, no-cache');
}

/** Whether the client of a GET or HEAD already has this response (RFC 9110, section 13.1). */
export const isNotModified = (response: Response): boolean => isRead(response) && isFresh(response);

/**
 * Whether the `ETag`, or without an `If-None-Match` the `Last-Modified`, of a response meets the condition of
 * its request (RFC 9110, sections 13.1.2 and 13.1.3). Express's `request.fresh` lets `Cache-Control:
 * no-cache` void the condition. That directive is for caches (RFC 9111, section 5.2.1.4), and `fetch()` adds
 * it to every request with a condition of its caller.
 */
export function isFresh(response: Response): boolean {
  const { 'if-none-match': etags, 'if-modified-since': since } = response.req.headers;
  if (etags === undefined) return since !== undefined && isUnmodified(response, since);
  const etag = response.getHeader('ETag');
  return etags.trim() === '*' || (typeof etag === 'string' && opaqueTags(etags).includes(opaque(etag)));
}

/**
 * Whether a route that sets `Last-Modified` says that nothing has changed since (RFC 9110, section 13.1.3).
 */
function isUnmodified(response: Response, since: string): boolean {
  const modified = response.getHeader('Last-Modified');
  return typeof modified === 'string' && Date.parse(modified) <= Date.parse(since);
}

const opaqueTags = (etags: string): string[] => (etags.match(/(?:W\/)?"[^"]*"|[^\s,]+/g) ?? []).map(opaque);

/** A tag without the mark of a weak one. */
export const opaque = (etag: string): string => etag.replace(/^W\//, '');

/** Includes the `Link` to the next page, because the same items may be the last page now and not later. */
function etagOfBody(response: Response, body: string): string {
  const link = response.getHeader('Link');
  const isPage = typeof link === 'string' && link.includes('rel="next"');
  return versionOfText(isPage ? `${link}\n${body}` : body);
}

const LENGTH = 22; // base64url digits: 132 bits

/**
 * The `ETag` of a resource. It is strong, because it identifies the exact bytes of the response (RFC 9110,
 * section 8.8.3).
 */
export const versionOf = (resource: object): string => versionOfText(writeJson(resource));

export const versionOfText = (json: string): string =>
  `"${hash('sha256', json, 'base64url').slice(0, LENGTH)}"`;

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
