import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Milliseconds between the requests of a client. Without a pause, a slow machine would have no time left for what is
 * tested.
 */
const PACE = 50;

/** The outcomes: the number of responses by status and code, and of errors if there was no response. */
type Tally = Record<string, number>;

/** Sends requests over keep-alive connections until it is stopped. */
export class Load {
  readonly tally: Tally = {};
  /** The longest response time, in milliseconds. */
  slowest = 0;
  /** Bodies of the responses with status 201. */
  readonly created: string[] = [];
  private readonly agent = new Agent({ keepAlive: true });
  private readonly clients: Promise<void>[];
  private running = true;

  constructor(
    private readonly port: number,
    private readonly key: string,
    clients = 8,
    /** Every so many requests are a POST. */
    private readonly postEach = 4,
    private readonly host = '127.0.0.1',
    private readonly resource = { path: '/v1/pets', body: '{"name":"Rex","categoryId":1}' },
  ) {
    this.clients = Array.from({ length: clients }, (_, i) => this.client(i));
  }

  get sent(): number {
    return Object.values(this.tally).reduce((sum, count) => sum + count, 0);
  }

  async stop(): Promise<Tally> {
    this.running = false;
    await Promise.all(this.clients);
    this.agent.destroy();
    return this.tally;
  }

  /** The first POST of each client is at a different place. */
  private async client(first: number): Promise<void> {
    for (let i = first; this.running; i++) {
      const began = performance.now();
      const outcome = await (i % this.postEach === 0 ? this.send('POST') : this.send('GET')).catch(String);
      this.slowest = Math.max(this.slowest, performance.now() - began);
      this.tally[outcome] = (this.tally[outcome] ?? 0) + 1;
      await sleep(PACE);
    }
  }

  private send(method: 'GET' | 'POST'): Promise<string> {
    return new Promise((resolve, reject) => {
      const outgoing = request(
        {
          host: this.host,
          port: this.port,
          path: method === 'GET' ? `${this.resource.path}?limit=1` : this.resource.path,
          method,
          agent: this.agent,
          headers: { Authorization: `Bearer ${this.key}`, 'Content-Type': 'application/json' },
        },
        (response) => {
          let body = '';
          response.on('data', (chunk: Buffer) => (body += chunk.toString()));
          response.on('error', reject);
          response.on('end', () => {
            if (response.statusCode === 201) this.created.push(body);
            resolve(`${method} ${outcomeOf(response, body)}`);
          });
        },
      );
      outgoing.on('error', reject);
      outgoing.end(method === 'POST' ? this.resource.body : undefined);
    });
  }
}

function outcomeOf({ statusCode = 0, headers }: IncomingMessage, body: string): string {
  if (statusCode < 400) return String(statusCode);
  const code = /"code":"(\w+)"/.exec(body)?.[1] ?? body; // the balancer's own errors have none
  return `${statusCode} ${code}${statusCode === 503 && !headers['retry-after'] ? ' without Retry-After' : ''}`;
}
