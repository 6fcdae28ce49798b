import {
  Agent,
  createServer,
  request,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';

const POLL = 100; // milliseconds
/** Milliseconds for a health check. Without a limit, one that hangs would stop all. */
const HEALTH_TIMEOUT = 5_000;

/**
 * A load balancer. It distributes requests round-robin to ready replicas over keep-alive connections, and never
 * retries.
 */
export class Balancer {
  private readonly agent = new Agent({ keepAlive: true });
  private removed = false;
  private readonly ready = new Set<number>();
  /** What the last health check of each port gave, for a message of failure. */
  readonly health = new Map<number, string>();
  private next = 0;

  private constructor(
    private readonly server: Server,
    ports: readonly number[],
  ) {
    server.on('request', (incoming, response) => {
      this.pass(incoming, response);
    });
    for (const port of ports) void this.poll(port);
  }

  static async before(...ports: number[]): Promise<Balancer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new Balancer(server, ports);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** How many replicas receive requests. */
  get readyReplicas(): number {
    return this.ready.size;
  }

  remove(): void {
    this.removed = true;
    this.server.close();
    this.server.closeAllConnections();
    this.agent.destroy();
  }

  private pass(incoming: IncomingMessage, response: ServerResponse): void {
    const port = [...this.ready][this.next++ % this.ready.size];
    const { method, url: path, headers } = incoming;
    const outgoing = request(
      { host: '127.0.0.1', port, method, path, headers, agent: this.agent },
      (upstream) => {
        delete upstream.headers.connection; // applies only to that hop
        response.writeHead(upstream.statusCode ?? 502, upstream.headers);
        upstream.pipe(response);
      },
    );
    outgoing.on('error', (error) => {
      response.writeHead(502).end(String(error));
    });
    incoming.pipe(outgoing);
  }

  private async poll(port: number): Promise<void> {
    while (!this.removed) {
      if (await this.isReady(port)) this.ready.add(port);
      else this.ready.delete(port);
      await delay(POLL);
    }
  }

  private async isReady(port: number): Promise<boolean> {
    try {
      const signal = AbortSignal.timeout(HEALTH_TIMEOUT);
      const response = await fetch(`http://127.0.0.1:${port}/health/ready`, { signal });
      this.health.set(port, `${response.status} ${await response.text()}`);
      return response.ok;
    } catch (error) {
      this.health.set(port, inspect(error));
      return false;
    }
  }
}
