import { Logger } from '@nestjs/common';
import pg, { type PoolClient } from 'pg';
import { seconds } from '../../kernel/clock/duration.js';
import { ServiceClient } from './service-client.js';
import { JoinedClient } from './joined-client.js';
import { runningTransaction } from './shared-transaction.js';

const WARNING_INTERVAL = seconds(30);

type Connected = Parameters<pg.Pool['connect']>[0];

/**
 * A pool that gives up connections with an open transaction, and those to a server that is read-only since a failover. Within a
 * shared transaction it gives its connection.
 */
export class ServicePool extends pg.Pool {
  private readonly logger = new Logger('Database');
  private warnedAt = -Infinity;

  constructor(options: pg.PoolConfig) {
    super({ ...options, Client: ServiceClient });
    // Queries and idle connections have their own listeners; without one, an error between two queries ends the process.
    this.on('connect', (client) => client.on('error', () => undefined));
    this.on('acquire', (client) => {
      if (client instanceof ServiceClient) client.isFree = false;
    });
    // Before the pool looks whether the client ends: then it drops the client.
    this.on('release', (_error, client) => {
      if (!(client instanceof ServiceClient)) return;
      client.isFree = true;
      if (client.isReusable) return;
      if (client.isReadOnly) this.warnOfReadOnly();
      else if (['T', 'E'].includes(client.getTransactionStatus() ?? ''))
        this.logger.error('A transaction was left open. It is rolled back, and its connection closed.');
      client.end().catch(() => undefined);
    });
  }

  override connect(): Promise<PoolClient>;
  override connect(connected: Connected): void;
  override connect(connected?: Connected): Promise<PoolClient> | undefined {
    const transaction = runningTransaction(this);
    if (!transaction) return connected ? (super.connect(connected), undefined) : super.connect();
    const joined = new JoinedClient(transaction);
    const client = joined as unknown as PoolClient; // what TypeORM uses of it
    if (!connected) return Promise.resolve(client);
    connected(undefined, client, joined.release);
    return undefined;
  }

  private warnOfReadOnly(): void {
    const now = performance.now();
    if (now - this.warnedAt < WARNING_INTERVAL) return;
    this.warnedAt = now;
    this.logger.warn('PostgreSQL is read-only, as after a failover. Connecting again.');
  }
}
