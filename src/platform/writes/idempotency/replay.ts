import type { Response } from 'express';
import { finish, JSON_TYPE } from '../../http/core/adapter/json.adapter.js';
import type { IdempotentResponse } from './idempotent-responses.js';

const IDEMPOTENT_REPLAYED = 'Idempotent-Replayed';

/** Sends a stored response, byte for byte. */
export function replay({ status, headers, body }: IdempotentResponse, response: Response): void {
  response.statusCode = status;
  response.setHeader(IDEMPOTENT_REPLAYED, 'true');
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  finish(response, body?.startsWith('"') === true ? (JSON.parse(body) as string) : body);
}

/** How a text is stored: what is not JSON, and JSON that is a string, as a JSON string of the whole text. */
export const toColumn = (text: string | null, type: unknown): string | null =>
  text === null || (String(type).startsWith(JSON_TYPE) && !text.startsWith('"'))
    ? text
    : JSON.stringify(text);
