import type { Response } from 'express';
import { hash } from 'node:crypto';

const LENGTH = 22; // of base64url: 132 bits

/**
 * Gives the answer to a GET or HEAD its `ETag`, from the body and the `Link` to the next page, and tells whether the
 * client has just that already and needs no body: 304 (RFC 9110, sections 8.8.3 and 13.1.2).
 */
export function isUnchanged(response: Response, body: string): boolean {
  const { req: request } = response;
  if (response.statusCode !== 200 || (request.method !== 'GET' && request.method !== 'HEAD')) return false;
  const link = response.getHeader('Link');
  const text = typeof link === 'string' ? `${link}\n${body}` : body;
  response.setHeader('ETag', `"${hash('sha256', text, 'base64url').slice(0, LENGTH)}"`);
  return request.headers['if-none-match'] !== undefined && request.fresh;
}
