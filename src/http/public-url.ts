import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Server } from 'node:http';
import { Config } from '../kernel/config/config.js';

/** The address clients use, without `/v1`: `PUBLIC_URL`, or where the service listens. */
@Injectable()
export class PublicUrl {
  private listening?: string;

  constructor(
    private readonly config: Config,
    private readonly adapters: HttpAdapterHost,
  ) {}

  get base(): string {
    return this.config.publicUrl ?? (this.listening ??= this.whereItListens());
  }

  private whereItListens(): string {
    const address = (this.adapters.httpAdapter.getHttpServer() as Server).address();
    const port = typeof address === 'object' && address !== null ? address.port : this.config.port;
    return `http://${reachable(this.config.host)}:${port}`;
  }
}

/** A wildcard address can be listened on but not called, and an IPv6 address stands in brackets in a URL. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
