import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { service } from '../../kernel/config/service.js';
import { seconds } from '../../kernel/clock/duration.js';
import { TimeLimits } from '../../kernel/clock/time-limits.js';
import { PeriodicTasks } from '../../kernel/clock/periodic-tasks.js';
import { dedicatedConnection } from '../../data/database/pool/connection-options.js';
import { watchClient } from '../../data/database/pool/lost-connections.js';
import { ServiceClient } from '../../data/database/pool/service-client.js';
import { ApiKeyResolver } from './api-key-resolver.js';

const CHANNEL = 'api_keys'; // a trigger on the table sends the notifications
const CHECK_EVERY = seconds(2);

/**
 * Listens for committed changes of keys by any process, on a dedicated connection, which is replaced when it
 * is lost. Changes made meanwhile take effect when the cache entry expires. A probe detects connections that
 * the network dropped silently.
 */
@Injectable()
export class KeyChangesListener implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(KeyChangesListener.name);
  private readonly tasks = new PeriodicTasks((error) => {
    this.logger.warn(
      `Cannot listen for changes of keys, which take up to 10 s now; retrying: ${String(error)}`,
    );
  });
  private readonly check = this.tasks.add(CHECK_EVERY, () => this.connectOrProbe(), 'listenForKeyChanges');
  private client?: ServiceClient;
  /** One that does not listen yet. */
  private opening?: ServiceClient;
  private isStopping = false;

  constructor(
    private readonly dataSource: DataSource,
    private readonly resolver: ApiKeyResolver,
    private readonly limits: TimeLimits,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.check();
  }

  async onApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    const ended = (this.client ?? this.opening)?.end(); // first, so that a running check does not wait for PostgreSQL
    await this.tasks.stop();
    await ended;
  }

  private async connectOrProbe(): Promise<void> {
    const client = this.client ?? (this.opening = this.newClient());
    try {
      if (this.client) await client.query('SELECT 1');
      else {
        await client.connect();
        await watchClient(client);
        await client.query(`LISTEN ${CHANNEL}`);
      }
      if (client.isReadOnly) throw new Error('the server is read-only'); // a standby or a former primary gets no changes
      this.client = client;
    } catch (error) {
      this.client = undefined;
      client.end().catch(() => undefined);
      if (!this.isStopping) throw error;
    }
  }

  private newClient(): ServiceClient {
    const client = new ServiceClient({
      ...dedicatedConnection(this.dataSource),
      application_name: `${service().prefix} key changes`,
      connectionTimeoutMillis: this.limits.connection,
    });
    client.on('notification', ({ payload = '' }) => {
      this.resolver.forget(payload);
    });
    client.on('error', () => undefined); // a lost connection also ends
    client.on('end', () => {
      if (this.client === client) this.client = undefined;
    });
    return client;
  }
}
