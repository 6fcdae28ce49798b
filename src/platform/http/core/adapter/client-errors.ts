import { randomUUID } from 'node:crypto';
import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { closeLate, endAndLinger } from './linger.js';
import { lastResponse } from './serial-requests.js';

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
    message: 'The request line and headers together exceed 16 KiB.',
    status: 431,
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    code: 'payload_too_large',
    message: 'The chunk extensions are too long.',
    status: 413,
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    code: 'request_timeout',
    message: 'The request took too long: more than 15 s for the headers or 30 s in total.',
    status: 408,
  },
} as const satisfies Record<string, ClientError>;

/** For the catalogue of errors. */
export const CLIENT_ERROR_CATALOG = [
  {
    example: MALFORMED,
    meaning:
      'The request is not valid HTTP/1.1, does not have exactly one valid `Host`, or has several `Authorization` headers.',
    action: 'Use an HTTP library. The connection is closed if the rest cannot be read.',
  },
  {
    example: CLIENT_ERRORS.ERR_HTTP_REQUEST_TIMEOUT,
    meaning: 'The headers or the body arrived too slowly.',
    action: 'Repeat the request on a new connection.',
  },
  {
    example: CLIENT_ERRORS.HPE_HEADER_OVERFLOW,
    meaning:
      'The request line and the headers together exceed 16 KiB, or there are more than 200 header lines.',
    action: 'Send shorter or fewer headers, or a shorter URL.',
  },
];

type Headers = ReadonlyMap<string, string>;
/** @param packet the bytes that Node could not parse, perhaps without those before them */
type HeadersFor = (socket: Socket, packet: Buffer) => Promise<Headers>;
type ParseError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer };

/**
 * Responds with an Error to input that Node cannot parse as a request, and closes the connection. Earlier
 * requests on it get their responses first.
 * @param headersFor additional headers for the client of a connection
 */
export function handleClientErrors(server: Server, headersFor: HeadersFor): void {
  const handled = new WeakSet<Socket>();
  server.on('clientError', ({ code = '', rawPacket = Buffer.of() }: ParseError, socket: Socket) => {
    if (socket.destroyed || handled.has(socket)) return;
    handled.add(socket);
    const clientError = (CLIENT_ERRORS as Record<string, ClientError>)[code] ?? MALFORMED;
    sendClientError(clientError, socket, () => headersFor(socket, rawPacket)).catch(() => socket.destroy());
  });
}

async function sendClientError(
  clientError: ClientError,
  socket: Socket,
  headersFor: () => Promise<Headers>,
): Promise<void> {
  const more = socket.writable ? await headersFor() : new Map<string, string>();
  const headers = headersOfError(clientError, more);
  const last = lastResponse(socket);
  // The malformed part may be the body of the last request.
  const ofBody = last?.req.complete === false ? last : undefined;
  if (ofBody && !ofBody.headersSent) respond(ofBody, clientError, headers);
  const text = ofBody ? '' : responseText(clientError, headers);
  if (last?.closed === false)
    last.once('close', () => {
      endAndLinger(socket, text);
    });
  else endAndLinger(socket, text);
}

function respond(response: ServerResponse, clientError: ClientError, headers: Headers): void {
  for (const [name, value] of headers) if (!response.hasHeader(name)) response.setHeader(name, value);
  response.setHeader('Connection', 'close');
  closeLate(response.socket);
  response.writeHead(clientError.status).end(JSON.stringify(clientError));
}

function headersOfError(clientError: ClientError, more: Headers): Headers {
  return new Map([
    ...more,
    ['X-Request-Id', randomUUID()],
    ['Cache-Control', 'no-store'],
    ['Content-Type', 'application/json'],
    ['Content-Length', String(Buffer.byteLength(JSON.stringify(clientError)))],
  ]);
}

function responseText(clientError: ClientError, headers: Headers): string {
  const { status } = clientError;
  const lines = [...headers, ['Date', new Date().toUTCString()], ['Connection', 'close']];
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${JSON.stringify(clientError)}`;
}
