import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Response } from 'express';
import type { Server } from 'node:http';
import { clientHost } from './listen-on.js';
import { HttpConfig } from './http.config.js';

/** The address that clients use, without `/v1`: `PUBLIC_URL`, or the address that the service listens on. */
@Injectable()
export class PublicUrl {
  private known?: string;

  constructor(
    private readonly config: HttpConfig,
    private readonly adapters: HttpAdapterHost,
  ) {}

  get base(): string {
    return (this.known ??= baseUrl(this.config, this.adapters.httpAdapter.getHttpServer() as Server));
  }
}

/** For code that runs before dependency injection; otherwise use {@link PublicUrl}. */
export function baseUrl({ publicUrl, host, port }: ServiceAddress, server: Server): string {
  if (publicUrl !== undefined) return publicUrl;
  const address = server.address();
  const listening = typeof address === 'object' && address !== null ? address.port : port;
  return `http://${clientHost(host)}:${listening}`;
}

export type ServiceAddress = Pick<HttpConfig, 'publicUrl' | 'host' | 'port'>;

/** The Express setting with the path in `PUBLIC_URL`. */
export const PUBLIC_PATH = 'public path';

export const pathOf = (publicUrl: string | undefined): string =>
  publicUrl === undefined ? '' : new URL(publicUrl).pathname.replace(/\/$/, '');

/** A path of the service as clients see it: a proxy may add the path in `PUBLIC_URL`. */
export const asPublicPath = ({ app }: Response, path: string): string =>
  `${(app.get(PUBLIC_PATH) as string | undefined) ?? ''}${path}`;
