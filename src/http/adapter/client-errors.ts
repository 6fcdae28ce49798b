import { randomUUID } from 'node:crypto';
import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { seconds } from '../../kernel/clock/duration.js';
import { PROBLEM_TYPE, prefersProblem, problemOf } from '../errors/problem.js';
import { markMalformed } from '../errors/malformed-request.js';
import { closeLingering, end } from './lingering-close.js';
import { allSent, isHalfRead, openResponses } from './pipelining.js';

interface ClientError {
  readonly code: string;
  readonly message: string;
  readonly status: 400 | 408 | 413 | 431;
}

export const MALFORMED: ClientError = {
  code: 'malformed_request',
  message: 'This is not valid HTTP/1.1.',
  status: 400,
};
export const CLIENT_ERRORS = {
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
} as const satisfies Record<string, ClientError>;

/** For the responses before it. */
const TIMEOUT = seconds(15);

type Headers = ReadonlyMap<string, string>;
type HeadersFor = (socket: Socket) => Promise<Headers>;

/**
 * Responds with an Error to what Node cannot parse as a request, which no route sees, and ends the connection.
 * @param headersFor further headers for the client of a connection
 * @param base address of the service
 */
export function handleClientErrors(server: Server, headersFor: HeadersFor, base: () => string): void {
  const handled = new WeakSet<Socket>();
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (handled.has(socket)) return;
    handled.add(socket);
    if (socket.writable) refuse(error, socket, headersFor, base).catch(() => socket.destroy());
    else socket.destroy();
  });
}

/** Earlier requests get their responses first. A request that is cut off in its body gets this response. */
async function refuse(
  { code = '' }: NodeJS.ErrnoException,
  socket: Socket,
  headersFor: HeadersFor,
  base: () => string,
): Promise<void> {
  const cut = setTimeout(() => socket.destroy(), TIMEOUT).unref();
  const open = openResponses(socket);
  const clientError = (CLIENT_ERRORS as Record<string, ClientError>)[code] ?? MALFORMED;
  const headers = headersOf(clientError, await headersFor(socket));
  const last = open.at(-1);
  const isIncomplete = last?.req.complete === false;
  if (isIncomplete) respond(last, clientError, headers, base);
  await allSent(open.filter(({ closed }) => !closed));
  clearTimeout(cut);
  if (socket.writable) end(socket, isIncomplete || isHalfRead(socket) ? '' : textOf(clientError, headers));
}

/** Has no effect where the request has its response already, for want of a key. */
function respond(
  response: ServerResponse,
  clientError: ClientError,
  headers: Headers,
  base: () => string,
): void {
  const { req: request } = response;
  markMalformed(request);
  closeLingering(request.socket);
  request.socket.once('close', () => request.destroy()); // its reader stops waiting
  if (response.headersSent) return;
  for (const [name, value] of headers) if (!response.hasHeader(name)) response.setHeader(name, value);
  response.setHeader('Connection', 'close');
  const isProblem = prefersProblem(request.headers.accept);
  const text = JSON.stringify(isProblem ? problemOf(clientError, base(), request) : clientError);
  if (isProblem) response.setHeader('Content-Type', PROBLEM_TYPE);
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.writeHead(clientError.status).end(text);
}

function headersOf(clientError: ClientError, more: Headers): Headers {
  return new Map([
    ...more,
    ['X-Request-Id', randomUUID()],
    ['Cache-Control', 'no-store'],
    ['Content-Type', 'application/json'],
    ['Content-Length', String(Buffer.byteLength(JSON.stringify(clientError)))],
  ]);
}

function textOf(clientError: ClientError, headers: Headers): string {
  const { status } = clientError;
  const lines = [...headers, ['Date', new Date().toUTCString()], ['Connection', 'close']];
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${JSON.stringify(clientError)}`;
}
