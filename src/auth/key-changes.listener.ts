import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { seconds } from '../kernel/clock/duration.js';
import { ReadTimeoutClient } from '../database/pool/read-timeout.client.js';
import { ApiKeyResolver } from './api-key-resolver.js';

const CHANNEL = 'api_keys'; // a trigger of the table announces there
const RETRY = seconds(1);
const PATIENCE = seconds(2);
const PROBE_EVERY = seconds(5);

/**
 * Hears of every change to a key as soon as it is committed, in whichever process it was made. The connection is
 * its own and is made again when it is lost; what is announced meanwhile is seen when a key is next looked up. It is
 * asked something now and then: a connection that the network has forgotten would otherwise stay silent for hours.
 */
@Injectable()
export class KeyChangesListener implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(KeyChangesListener.name);
  private client?: ReadTimeoutClient;
  private retry?: NodeJS.Timeout;
  private readonly probe = setInterval(() => void this.ask(), PROBE_EVERY).unref();
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
    clearInterval(this.probe);
    await this.client?.end();
  }

  private async listen(): Promise<void> {
    const { url } = this.dataSource.options as { url: string };
    const client = new ReadTimeoutClient({
      connectionString: url,
      application_name: 'petstore key changes',
      connectionTimeoutMillis: PATIENCE,
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
    } catch (error) {
      this.lost(client, error);
    }
  }

  /** A silent answer ends the connection (`ReadTimeoutClient`), and the end of one begins the next. */
  private async ask(): Promise<void> {
    const { client } = this;
    await client?.query('SELECT 1').catch((error: unknown) => {
      this.lost(client, error);
    });
  }

  private lost(client: ReadTimeoutClient, error?: unknown): void {
    if (this.stopped || this.client !== client) return;
    this.client = undefined;
    const reason = error instanceof Error ? `: ${error.message}` : '';
    this.logger.warn(`Changes to keys are not heard of at once${reason}. Connecting again.`);
    client.end().catch(() => undefined);
    this.retry = setTimeout(() => void this.listen(), RETRY);
  }
}
