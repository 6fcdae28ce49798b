import type { Response } from 'express';
import { hash } from 'node:crypto';
import { NO_STORE } from './cache-control.js';

const LENGTH = 22; // of base64url: 132 bits

/**
 * Whether the client of a GET or HEAD has this response already and needs no body (RFC 9110, section 13.1). A body of
 * text gets an `ETag` made from it and the `Link` to the next page, unless the route has set one.
 */
export function isNotModified(response: Response, body?: string): boolean {
  const { req: request } = response;
  if (response.statusCode !== 200 || (request.method !== 'GET' && request.method !== 'HEAD')) return false;
  if (body !== undefined && !response.hasHeader('ETag')) response.setHeader('ETag', etagOf(response, body));
  if (response.hasHeader('ETag') && response.getHeader('Cache-Control') === NO_STORE) {
    response.setHeader('Cache-Control', 'private, no-cache');
  }
  const { 'if-none-match': etags, 'if-modified-since': date } = request.headers;
  return (etags !== undefined || date !== undefined) && request.fresh;
}

function etagOf(response: Response, body: string): string {
  const link = response.getHeader('Link');
  const text = typeof link === 'string' ? `${link}\n${body}` : body;
  return `"${hash('sha256', text, 'base64url').slice(0, LENGTH)}"`;
}
