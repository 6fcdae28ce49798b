import type { Response } from 'express';
import { finish, JSON_TYPE } from '../../http/core/adapter/json.adapter.js';
import type { IdempotentResponse } from './idempotent-responses.js';

const IDEMPOTENT_REPLAYED = 'Idempotent-Replayed';
/** How Express sends a string without a media type. */
const TEXT_TYPE = 'text/html; charset=utf-8';

/** Sends a stored response, byte for byte. */
export function replay({ status, headers, body }: IdempotentResponse, response: Response): void {
  response.statusCode = status;
  response.setHeader(IDEMPOTENT_REPLAYED, 'true');
  const text = body?.startsWith('"') === true ? (JSON.parse(body) as string) : body;
  // Version 1.0 has not stored the media type.
  if (text !== null) response.setHeader('Content-Type', text === body ? JSON_TYPE : TEXT_TYPE);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  finish(response, text);
}

/** How a text is stored. Version 1.0 reads the column as JSON, and sends a string in it as text. */
export const toColumn = (text: string | null, type: unknown): string | null =>
  text === null || (String(type).startsWith(JSON_TYPE) && !text.startsWith('"'))
    ? text
    : JSON.stringify(text);
