import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { SERVICE } from '../kernel/service.js';
import { seconds } from '../kernel/clock/duration.js';
import { dedicatedConnection } from '../database/pool/connection-options.js';
import { ServiceClient } from '../database/pool/service-client.js';
import { ApiKeyResolver } from './api-key-resolver.js';

const CHANNEL = 'api_keys'; // a trigger on the table sends the notifications
const RECONNECT_AFTER = seconds(1);
const CONNECT_TIMEOUT = seconds(2);
const PROBE_EVERY = seconds(5);

/**
 * Listens for committed changes of keys by any process, on a dedicated connection, which is replaced when it is lost. Changes
 * made meanwhile take effect when the cache entry expires. A probe detects connections that the network dropped silently.
 */
@Injectable()
export class KeyChangesListener implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(KeyChangesListener.name);
  private client?: ServiceClient;
  private retry?: NodeJS.Timeout;
  private readonly probeTimer = setInterval(() => void this.probe(), PROBE_EVERY).unref();
  private stopped = false;

  constructor(
    private readonly dataSource: DataSource,
    private readonly resolver: ApiKeyResolver,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.listen();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.retry);
    clearInterval(this.probeTimer);
    await this.client?.end();
  }

  private async listen(): Promise<void> {
    const client = new ServiceClient({
      ...dedicatedConnection(this.dataSource),
      application_name: `${SERVICE.prefix} key changes`,
      connectionTimeoutMillis: CONNECT_TIMEOUT,
    });
    client.on('notification', ({ payload = '' }) => {
      this.resolver.forget(payload);
    });
    client.on('error', (error) => {
      this.lost(client, error);
    });
    client.on('end', () => {
      this.lost(client);
    });
    this.client = client;
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
      this.expectPrimary(client);
    } catch (error) {
      this.lost(client, error);
    }
  }

  private async probe(): Promise<void> {
    const { client } = this;
    if (!client) return;
    try {
      await client.query('SELECT 1');
      this.expectPrimary(client);
    } catch (error) {
      this.lost(client, error);
    }
  }

  /** Fails on a standby or a former primary, which gets no changes. */
  private expectPrimary(client: ServiceClient): void {
    if (client.isReadOnly) throw new Error('the server is read-only');
  }

  private lost(client: ServiceClient, error?: unknown): void {
    if (this.stopped || this.client !== client) return;
    this.client = undefined;
    const reason = error instanceof Error ? `: ${error.message}` : '';
    this.logger.warn(
      `Lost the connection for key changes${reason}. Reconnecting; changes are delayed by up to 10 s.`,
    );
    client.end().catch(() => undefined);
    this.retry = setTimeout(() => void this.listen(), RECONNECT_AFTER);
  }
}
