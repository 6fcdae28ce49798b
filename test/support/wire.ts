import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { seconds } from '../../src/platform/kernel/clock/duration.js';
import type { Petstore } from './petstore.js';

/** A response as raw bytes: unlike in an HTTP client, duplicate headers remain visible. */
export interface RawResponse {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

export interface Message {
  readonly method?: string;
  readonly path?: string;
  /** Pairs, so that a name can be sent twice. `Host` and the length of the body are added. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly body?: string | Buffer;
}

/** Every value of a header, in the order sent. */
export const valuesOf = (response: RawResponse, name: string): string[] =>
  response.headers.filter(([other]) => other.toLowerCase() === name.toLowerCase()).map(([, value]) => value);

export const bearer = (key: string) => ['Authorization', `Bearer ${key}`] as const;

/** Default paths: a list of the platform, and a resource of the test suite to create. */
const LISTED = '/v1/events';
const CREATED = '/v1/items';

/** The bytes of a request. */
export function requestBytes({ method = 'GET', headers = [], body, ...message }: Message): Buffer {
  const { path = method === 'POST' ? CREATED : LISTED } = message;
  const length: Message['headers'] =
    body === undefined ? [] : [['Content-Length', String(Buffer.byteLength(body))]];
  const lines = [['Host', 'petstore.test'] as const, ...headers, ...length].map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return Buffer.concat([
    Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1'),
    Buffer.from(body ?? ''),
  ]);
}

/** Sends one request and waits for its response. */
export const send = (petstore: Petstore, message: Message): Promise<RawResponse> =>
  sendBytes(petstore, requestBytes(message), message.method);

/** Sends arbitrary bytes and waits for one response. */
export async function sendBytes(
  petstore: Petstore,
  bytes: Buffer | string,
  method = 'GET',
): Promise<RawResponse> {
  const [response] = await exchange(petstore, bytes, { methods: [method] });
  if (!response) throw new Error('The connection was closed without a response');
  return response;
}

const DEADLINE = seconds(60); // without a byte; shorter than Jest's own timeout, for a better message

interface Exchange {
  /** The methods of the requests in the bytes: one response is expected for each, and a HEAD response has no body. */
  readonly methods?: readonly string[];
}

/**
 * Sends arbitrary bytes over a separate connection, which stays open until all responses have arrived or the service
 * closes it.
 */
export function exchange(
  petstore: Petstore,
  bytes: Buffer | string,
  { methods = ['GET'] }: Exchange = {},
): Promise<RawResponse[]> {
  const { port } = petstore.app.getHttpServer().address() as AddressInfo;
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    const finish = () => {
      resolve(readResponses(received, methods));
      socket.destroy();
    };
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (readResponses(received, methods).length === methods.length) finish();
    });
    socket.on('end', finish);
    socket.setTimeout(DEADLINE, () => socket.destroy(new Error('No complete response came in time')));
    socket.on('error', (error) => {
      if (received.length > 0) finish();
      else reject(error);
    });
  });
}

function readResponses(received: Buffer, methods: readonly string[]): RawResponse[] {
  const responses: RawResponse[] = [];
  for (let rest = received; responses.length < methods.length;) {
    const read = readResponse(rest, methods[responses.length] ?? 'GET');
    if (!read) break;
    rest = read.rest;
    if (read.response.status !== 100) responses.push(read.response); // 100 Continue precedes the response
  }
  return responses;
}

function readResponse(bytes: Buffer, method: string): { response: RawResponse; rest: Buffer } | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()] as const;
  });
  const status = Number(statusLine.split(' ')[1]);
  const announced = headers.find(([name]) => name.toLowerCase() === 'content-length')?.[1];
  const length = method === 'HEAD' ? 0 : Number(announced ?? 0);
  const start = end + 4;
  if (bytes.length < start + length) return undefined;
  const body = bytes.toString('utf8', start, start + length);
  return { response: { status, headers, body }, rest: bytes.subarray(start + length) };
}
