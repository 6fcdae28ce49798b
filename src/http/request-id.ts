import { randomUUID } from 'node:crypto';
import type { Request, Response } from 'express';

/** Short, and nothing that a log or a terminal could stumble over. */
const ACCEPTABLE = /^[\x21-\x7e]{1,128}$/;

declare module 'express-serve-static-core' {
  interface Request {
    /** Names this request in the `X-Request-Id` header of its answer and in every log line. */
    id: string;
  }
}

/** Takes the request's own `X-Request-Id` where it can be trusted to be printable, otherwise makes one. */
export function requestId(request: Request, response: Response): void {
  const sent = request.headers['x-request-id'];
  request.id = typeof sent === 'string' && ACCEPTABLE.test(sent) ? sent : randomUUID();
  response.setHeader('X-Request-Id', request.id);
}
