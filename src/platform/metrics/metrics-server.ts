import {
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  Logger as NestLogger,
} from '@nestjs/common';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ofStatus } from '../errors/error-body.js';
import { describe } from '../errors/error.filter.js';
import { HttpConfig } from '../http/http.config.js';
import { listenOn } from '../http/listen-on.js';
import { MetricsConfig } from './metrics.config.js';
import { Scrape } from './scrape.js';

/** Serves `/metrics` on `METRICS_PORT`, which need not be reachable for clients. */
@Injectable()
export class MetricsServer implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new NestLogger(MetricsServer.name);
  private server?: Server;

  constructor(
    private readonly config: MetricsConfig,
    private readonly http: HttpConfig,
    private readonly scrape: Scrape,
  ) {}

  get port(): number | undefined {
    return (this.server?.address() as AddressInfo | undefined)?.port;
  }

  /** @throws StartupError when the port is not available */
  async onApplicationBootstrap(): Promise<void> {
    const { metricsPort } = this.config;
    const { host } = this.http;
    if (metricsPort === undefined) return;
    this.server = createServer((request, response) => {
      if (request.url === '/metrics') void this.send(response);
      else response.writeHead(404).end();
    });
    await listenOn(this.server, { port: metricsPort, host, variable: 'METRICS_PORT' });
    this.logger.log(`Metrics at http://${host}:${this.port}/metrics`);
  }

  /** In the last shutdown hook, so that scrapes work during the shutdown. */
  async onApplicationShutdown(): Promise<void> {
    const { server } = this;
    if (!server) return;
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  }

  private async send(response: ServerResponse): Promise<void> {
    try {
      await this.scrape.send(response);
    } catch (error) {
      this.logger.error(describe(error));
      response.writeHead(500, { 'Content-Type': 'application/json' }).end(JSON.stringify(ofStatus(500)));
    }
  }
}
