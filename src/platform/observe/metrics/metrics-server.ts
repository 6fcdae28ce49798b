import {
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  Logger as NestLogger,
} from '@nestjs/common';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ErrorBody, ofDomainError, ofStatus } from '../../kernel/errors/error-body.js';
import { describe } from '../../kernel/errors/error.filter.js';
import { MethodNotAllowed, RouteNotFound } from '../../kernel/errors/route.errors.js';
import { HttpConfig } from '../../http/core/http.config.js';
import { listenOn } from '../../http/core/listen-on.js';
import { MetricsConfig } from './metrics.config.js';
import { Scrape } from './scrape.js';

const METHODS = ['GET', 'HEAD', 'OPTIONS'];

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
      this.answer(request, response);
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

  /** As on the port of the service, where Prometheus may send parameters and a trailing slash. */
  private answer({ method = '', url = '' }: IncomingMessage, response: ServerResponse): void {
    const [path = ''] = url.split('?', 1);
    if (!/^\/metrics\/?$/.test(path)) {
      sendError(response, ofDomainError(new RouteNotFound(path)));
      return;
    }
    if (method === 'GET' || method === 'HEAD') {
      void this.send(response);
      return;
    }
    response.setHeader('Allow', METHODS.join(', '));
    if (method === 'OPTIONS') response.writeHead(204).end();
    else sendError(response, ofDomainError(new MethodNotAllowed(method, path, METHODS)));
  }

  private async send(response: ServerResponse): Promise<void> {
    try {
      await this.scrape.send(response);
    } catch (error) {
      this.logger.error(describe(error));
      sendError(response, ofStatus(500));
    }
  }
}

function sendError(response: ServerResponse, body: ErrorBody): void {
  response.writeHead(body.status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}
