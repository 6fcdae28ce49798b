import type { Response } from 'express';
import { writeJson } from '../../kernel/json/write-json.js';
import { isNotModified } from '../conditional/etag.js';
import { JSON_TYPE } from '../route/produced-types.js';

const WITHOUT_CONTENT = new Set([204, 205, 304]);

/** `response.json()` of Express with exact 64-bit integers and an `ETag`; 304 if the client's copy is current. */
export function json(this: Response, value: unknown): Response {
  return this.end(prepareJson(this, value));
}

/** Sets the status and headers of a JSON response. @returns its text */
export function prepareJson(response: Response, value: unknown): string {
  const text = value === undefined ? '' : writeJson(value);
  if (isNotModified(response, text)) response.statusCode = 304;
  if (WITHOUT_CONTENT.has(response.statusCode)) {
    response.removeHeader('Content-Type');
    response.removeHeader('Content-Length');
    return '';
  }
  if (!hasType(response)) response.setHeader('Content-Type', JSON_TYPE);
  response.setHeader('Content-Length', Buffer.byteLength(text));
  return text;
}

/** Whether the route has set a media type. An error response keeps it only if it is JSON. */
function hasType(response: Response): boolean {
  const type = response.getHeader('Content-Type');
  return (
    typeof type === 'string' && (response.statusCode < 400 || /^[\w.-]+\/([\w.-]+\+)?json\b/i.test(type))
  );
}

let ready: (readonly [response: Response, text: string])[] = [];

/**
 * Ends a response after this turn of the event loop, together with all others that are ready: a write is cheaper if the client
 * process is already awake. A 429 takes 51 µs instead of 115, one pet 89 instead of 100, a creation 159 instead of 203. A failing response does not affect the others.
 */
export function endTogether(response: Response, text: string): void {
  response.writeHead(response.statusCode); // an invalid header must throw here, to the caller
  if (ready.length === 0) setImmediate(endAll);
  ready.push([response, text]);
}

function endAll(): void {
  const responses = ready;
  ready = [];
  for (const [response, text] of responses) {
    try {
      response.end(text);
    } catch (error) {
      response.destroy(error as Error);
    }
  }
}
