import type { Response } from 'express';
import { writeJson } from '../../json/write-json.js';
import type { ResponseHooks } from './response-hooks.js';

const JSON_TYPE = 'application/json'; // JSON has no `charset` (RFC 8259, section 11)
const WITHOUT_CONTENT = new Set([204, 205, 304]);

/** Sends a JSON response with exact 64-bit integers; 304 if the client's copy is current. */
export function sendJson(response: Response, value: object, { isNotModified }: ResponseHooks): void {
  const text = writeJson(value);
  if (isNotModified(response, text)) response.statusCode = 304;
  if (WITHOUT_CONTENT.has(response.statusCode)) {
    response.removeHeader('Content-Type');
    response.removeHeader('Content-Length');
    response.end();
    return;
  }
  if (!hasType(response)) response.setHeader('Content-Type', JSON_TYPE);
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(text);
}

/** Whether the route has set a media type. An error response keeps it only if it is JSON. */
function hasType(response: Response): boolean {
  const type = response.getHeader('Content-Type');
  return (
    typeof type === 'string' && (response.statusCode < 400 || /^[\w.-]+\/([\w.-]+\+)?json\b/i.test(type))
  );
}
