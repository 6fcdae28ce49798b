import { Logger } from '@nestjs/common';
import pg, { type PoolClient } from 'pg';
import { seconds } from '../../kernel/clock/duration.js';
import { QUERY_TIMEOUT, ServiceClient } from './service-client.js';
import { JoinedClient } from './joined-client.js';
import { runningTransaction } from './shared-transaction.js';

const WARNING_INTERVAL = seconds(30);

type Connected = Parameters<pg.Pool['connect']>[0];

/**
 * A pool that closes released connections with an open transaction, and those to a server that is read-only after a failover.
 * Within a shared transaction, `connect()` returns the connection of that transaction.
 */
export class ServicePool extends pg.Pool {
  private readonly logger = new Logger('Database');
  private warnedAt = -Infinity;

  constructor(options: pg.PoolConfig) {
    super({ ...options, Client: ServiceClient });
    // An error between two queries would otherwise end the process: `pg` listens only during queries and while idle.
    this.on('connect', (client) => client.on('error', () => undefined));
    this.on('acquire', (client) => {
      if (client instanceof ServiceClient) client.isFree = false;
    });
    // Runs before the pool checks whether the client is ending, so that the pool removes it.
    this.on('release', (_error, client) => {
      if (!(client instanceof ServiceClient)) return;
      client.isFree = true;
      client.queryTimeout = QUERY_TIMEOUT;
      if (client.isReusable) return;
      if (client.isReadOnly) this.warnOfReadOnly();
      else if (['T', 'E'].includes(client.getTransactionStatus() ?? ''))
        this.logger.error(
          'A connection was released with an open transaction. Rolled it back and closed the connection.',
        );
      client.end().catch(() => undefined);
    });
  }

  override connect(): Promise<PoolClient>;
  override connect(connected: Connected): void;
  override connect(connected?: Connected): Promise<PoolClient> | undefined {
    const transaction = runningTransaction(this);
    if (!transaction) return connected ? (super.connect(connected), undefined) : super.connect();
    const joined = new JoinedClient(transaction);
    const client = joined as unknown as PoolClient; // it has only the members that TypeORM uses
    if (!connected) return Promise.resolve(client);
    connected(undefined, client, joined.release);
    return undefined;
  }

  private warnOfReadOnly(): void {
    const now = performance.now();
    if (now - this.warnedAt < WARNING_INTERVAL) return;
    this.warnedAt = now;
    this.logger.warn('PostgreSQL is read-only, as after a failover. Reconnecting.');
  }
}
