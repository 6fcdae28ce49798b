import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type ClientOptions, PetstoreClient } from '../src/index.js';

export interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  /** An object is sent as JSON, a text as it is. */
  readonly body?: unknown;
  /** In place of an answer: the end of the connection, at once or in the midst of the body; or nothing at all. */
  readonly instead?: 'broken' | 'half' | 'silence';
}

export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Answers as a test tells it, one after the other, and with an empty page from then on. */
export class ScriptedService {
  answers: Answer[] = [];
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
        const answer = service.answers.shift() ?? {};
        if (answer.instead === 'silence') return;
        if (answer.instead === 'broken') return response.destroy();
        const content = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? []);
        const length = answer.instead === 'half' ? { 'Content-Length': '1000' } : {};
        response.writeHead(answer.status ?? 200, { ...answer.headers, ...length });
        if (answer.instead !== 'half') return response.end(answer.status === 304 ? undefined : content);
        response.write(content, () => response.destroy());
      });
    });
    return service;
  }

  reset(): void {
    this.answers = [];
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

  client(url: string, options: ClientOptions = {}): PetstoreClient {
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
