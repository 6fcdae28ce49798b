import type { Response } from 'express';
import { writeJson } from '../../kernel/json/write-json.js';
import { isNotModified } from '../conditional/etag.js';

const JSON_TYPE = 'application/json'; // JSON has no `charset` (RFC 8259, section 11)
const WITHOUT_CONTENT = new Set([204, 205, 304]);

/** `response.json()` of Express with exact 64-bit integers and our `ETag`; 304 if the client has this response. */
export function json(this: Response, value: unknown): Response {
  sendJson(this, value, (response, text) => response.end(text));
  return this;
}

/** The same, ended by `end`. */
export function sendJson(
  response: Response,
  value: unknown,
  end: (response: Response, text: string) => void,
): void {
  const text = value === undefined ? '' : writeJson(value);
  if (isNotModified(response, text)) response.statusCode = 304;
  if (WITHOUT_CONTENT.has(response.statusCode)) {
    response.removeHeader('Content-Type');
    response.removeHeader('Content-Length');
    end(response, '');
    return;
  }
  if (!hasType(response)) response.setHeader('Content-Type', JSON_TYPE);
  response.setHeader('Content-Length', Buffer.byteLength(text));
  end(response, text);
}

/** Whether the route has set a type. An error keeps the type of its route only if that is JSON. */
function hasType(response: Response): boolean {
  const type = response.getHeader('Content-Type');
  return (
    typeof type === 'string' && (response.statusCode < 400 || /^[\w.-]+\/([\w.-]+\+)?json\b/i.test(type))
  );
}
