import type { NestExpressApplication } from '@nestjs/platform-express';
import { randomUUID } from 'node:crypto';
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { Config } from '../../kernel/config/config.js';
import { seconds } from '../../kernel/clock/duration.js';
import { Quota } from '../../rate-limit/quota.js';
import { writeRateLimitHeaders } from '../../rate-limit/rate-limit.headers.js';

interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly status: 400 | 408 | 413 | 431;
}

const MALFORMED: Refusal = { code: 'malformed_request', message: 'This is not valid HTTP/1.1.', status: 400 };
const REFUSALS: Record<string, Refusal> = {
  HPE_HEADER_OVERFLOW: {
    code: 'headers_too_large',
    message: 'The request line and the headers may have 16 KiB together.',
    status: 431,
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    code: 'payload_too_large',
    message: 'The extensions of the chunks are too long.',
    status: 413,
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    code: 'request_timeout',
    message: 'The request did not come in time: 15 s for the headers, 30 s for the whole.',
    status: 408,
  },
};
/** For the client to read the answer; then the connection is cut, whatever it still sends. */
const TO_READ = seconds(1);

/**
 * Answers what Node cannot read as a request, which no route ever sees, with an Error too, and ends the connection.
 * It shows the windows of the caller's address and charges nothing; behind a proxy it cannot tell whose they would be.
 */
export function answerBrokenRequests(app: NestExpressApplication): void {
  const server = app.getHttpServer();
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    setTimeout(() => socket.destroy(), TO_READ).unref();
    const refusal = REFUSALS[error.code ?? ''] ?? MALFORMED;
    quotaHeaders(app, socket).then(
      (headers) => setImmediate(end, socket, answer(refusal, headers)), // responses that are ready leave first: response-batching.ts
      () => socket.destroy(),
    );
  });
}

function end(socket: Socket, text: string): void {
  if (canBeAnswered(socket)) socket.end(text);
  else socket.destroy();
}

/** An answer that has begun cannot become another one. */
function canBeAnswered(socket: Socket): boolean {
  const { _httpMessage: begun } = socket as { _httpMessage?: ServerResponse | null }; // as Node's own handler looks
  return socket.writable && !begun?.headersSent;
}

async function quotaHeaders(
  app: NestExpressApplication,
  { remoteAddress: ip }: Socket,
): Promise<Map<string, string>> {
  const headers = new Map<string, string>();
  if (app.get(Config).trustProxy !== false) return headers;
  const setHeader = (name: string, value: unknown) => {
    headers.set(name, String(value));
  };
  const verdict = await app.get(Quota).look({ ip });
  writeRateLimitHeaders({ setHeader }, verdict);
  return headers;
}

function answer(refusal: Refusal, headers: Map<string, string>): string {
  const body = JSON.stringify(refusal);
  headers.set('X-Request-Id', randomUUID());
  headers.set('Cache-Control', 'no-store');
  headers.set('Date', new Date().toUTCString());
  headers.set('Content-Type', 'application/json');
  headers.set('Content-Length', String(Buffer.byteLength(body)));
  headers.set('Connection', 'close');
  const lines = [...headers].map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n${lines}\r\n${body}`;
}
