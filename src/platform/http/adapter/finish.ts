import type { Response } from 'express';
import { closeLate } from './linger.js';

export const JSON_TYPE = 'application/json'; // JSON has no `charset` (RFC 8259, section 11)
const WITHOUT_CONTENT = new Set([204, 205, 304]);

/** Ends a response with a text, which its status may not allow. `null` is no body. */
export function finish(response: Response, text: string | null): void {
  if (!response.req.complete) closeLate(response.socket);
  if (WITHOUT_CONTENT.has(response.statusCode)) {
    response.removeHeader('Content-Type');
    response.removeHeader('Content-Length');
    response.end();
    return;
  }
  response.setHeader('Content-Length', text === null ? 0 : Buffer.byteLength(text));
  response.end(text ?? undefined);
}
