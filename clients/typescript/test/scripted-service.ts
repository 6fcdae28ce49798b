import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type ClientOptions, type IdKind, PetstoreClient } from '../src/index.js';

export interface ScriptedResponse {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  /** An object is sent as JSON, a text as it is. */
  readonly body?: unknown;
  /** In place of a response: the end of the connection, at once or in the midst of the body; or nothing at all. */
  readonly instead?: 'broken' | 'half' | 'silence';
}

export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Responds as a test tells it, one after the other, and with an empty page from then on. */
export class ScriptedService {
  responses: ScriptedResponse[] = [];
  received: Received[] = [];
  /** Called when a request has arrived. */
  onRequest: () => void = () => undefined;

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(): Promise<ScriptedService> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const service = new ScriptedService(server, `http://127.0.0.1:${port}/v1`);
    server.on('request', (request: IncomingMessage, response) => {
      void text(request).then((body) => {
        const { method = '', url = '', headers } = request;
        service.received.push({ method, url, headers, body });
        service.onRequest();
        const scripted = service.responses.shift() ?? {};
        if (scripted.instead === 'silence') return;
        if (scripted.instead === 'broken') return response.destroy();
        const content =
          typeof scripted.body === 'string' ? scripted.body : JSON.stringify(scripted.body ?? []);
        const length = scripted.instead === 'half' ? { 'Content-Length': '1000' } : {};
        response.writeHead(scripted.status ?? 200, { ...scripted.headers, ...length });
        if (scripted.instead !== 'half') return response.end(scripted.status === 304 ? undefined : content);
        response.write(content, () => response.destroy());
      });
    });
    return service;
  }

  reset(): void {
    this.responses = [];
    this.received = [];
    this.onRequest = () => undefined;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

/** A clock that a test turns: the client sleeps no real time. */
export class TestTime {
  now = Date.UTC(2026, 0, 1);
  random = 0.5;
  /** Milliseconds of each wait. */
  waits: number[] = [];
  /** Milliseconds of each time limit of a try. */
  limits: number[] = [];
  /** Ends the try that is running, as its time limit does. */
  limit = new AbortController();
  warnings: string[] = [];

  client<Ids extends IdKind = 'bigint'>(url: string, options: ClientOptions<Ids> = {}): PetstoreClient<Ids> {
    const runtime = {
      now: () => this.now,
      random: () => this.random,
      sleep: (milliseconds: number, signal?: AbortSignal) => {
        signal?.throwIfAborted();
        this.waits.push(milliseconds);
        this.now += milliseconds;
        return Promise.resolve();
      },
      timeout: (milliseconds: number) => {
        this.limits.push(milliseconds);
        this.limit = new AbortController();
        return this.limit.signal;
      },
      warn: (message: string) => this.warnings.push(message),
    };
    return new PetstoreClient({
      url,
      apiKey: 'petstore_x',
      ...options,
      runtime: { ...runtime, ...options.runtime },
    });
  }
}

export async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}
