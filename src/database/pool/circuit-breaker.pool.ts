import { Logger } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { seconds } from '../../kernel/clock/duration.js';
import { ReadTimeoutClient } from './read-timeout.client.js';

const PROBE_INTERVAL = seconds(0.25);

type OnClient = Parameters<pg.Pool['connect']>[0];

/** Thrown while the circuit is open. */
class DatabaseUnresponsive extends Error {
  readonly code = '08006'; // connection_failure

  constructor() {
    super('The database does not respond.');
  }
}

/**
 * A pool with a circuit breaker: once a connection has met a read timeout, every use fails at once, until the database
 * responds again. Without that, a request that needs the database three times would wait three times.
 */
export class CircuitBreakerPool extends pg.Pool {
  private readonly logger = new Logger('Database');
  private isOpen = false;

  constructor(options: pg.PoolConfig) {
    super({ ...options, Client: ReadTimeoutClient });
    this.on('connect', (client) => {
      if (client instanceof ReadTimeoutClient) client.onTimeout = () => void this.open();
    });
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: OnClient): void;
  override connect(callback?: OnClient): Promise<pg.PoolClient> | undefined {
    if (!callback) return this.isOpen ? Promise.reject(new DatabaseUnresponsive()) : super.connect();
    if (this.isOpen) callback(new DatabaseUnresponsive(), undefined, () => undefined);
    else super.connect(callback);
    return undefined;
  }

  private async open(): Promise<void> {
    if (this.isOpen) return;
    this.isOpen = true;
    this.logger.warn('PostgreSQL does not respond. Queries fail at once until it does.');
    while (!this.ending && !(await this.responds())) await delay(PROBE_INTERVAL, undefined, { ref: false });
    this.isOpen = false;
    if (!this.ending) this.logger.log('PostgreSQL responds again.');
  }

  private async responds(): Promise<boolean> {
    try {
      const client = await super.connect();
      const failure = await client.query('SELECT 1').then(
        () => undefined,
        (error: unknown) => error as Error,
      );
      client.release(failure);
      return failure === undefined;
    } catch {
      return false;
    }
  }
}
