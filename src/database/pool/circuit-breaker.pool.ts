import { Logger } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { seconds } from '../../kernel/clock/duration.js';
import { markAsDatabaseError } from '../database-unavailable.js';
import { ReadTimeoutClient } from './read-timeout.client.js';

const PROBE_INTERVAL = seconds(0.25);
/** Milliseconds. A timer that fires so late says that the process was busy. */
const BUSY = 50;
/** What `pg-pool` says when its timer for a connection has fired. */
const TIMED_OUT = /timeout exceeded when trying to connect|due to connection timeout/;

type OnClient = Parameters<pg.Pool['connect']>[0];

/** Milliseconds between two renewals of all connections. */
const RENEWAL_INTERVAL = seconds(1);

/** Milliseconds between two lines of the log about it. */
const RENEWAL_LOG_INTERVAL = seconds(30);

/** Thrown while the circuit is open. */
class DatabaseUnresponsive extends Error {
  readonly code = '08006'; // connection_failure

  constructor() {
    super('The database does not respond.');
  }
}

/**
 * A pool with a circuit breaker: after a read timeout every query fails at once until the database responds again. Without
 * it, a request with three queries would wait three times.
 */
export class CircuitBreakerPool extends pg.Pool {
  private readonly logger = new Logger('Database');
  private readonly clients = new Set<ReadTimeoutClient>();
  private isOpen = false;
  private renewedAt = -Infinity;

  constructor(options: pg.PoolConfig) {
    super({ ...options, Client: ReadTimeoutClient });
    this.on('connect', (client) => {
      if (client instanceof ReadTimeoutClient) this.follow(client);
    });
    // Before the pool looks whether the client ends: then it drops the client.
    this.on('release', (_error, client) => {
      if (client instanceof ReadTimeoutClient && client.isOutdated) client.end().catch(() => undefined);
    });
    this.on('remove', (client) => {
      this.clients.delete(client as unknown as ReadTimeoutClient);
    });
  }

  private follow(client: ReadTimeoutClient): void {
    client.onTimeout = () => void this.open();
    client.onReadOnly = () => {
      this.renew();
    };
    this.clients.add(client);
    // It may read there, but not for long: the next connection may lead to the new primary.
    if (client.isReadOnly) setTimeout(() => (client.isOutdated = true), RENEWAL_INTERVAL).unref();
  }

  /** After a failover, connections may still lead to the former primary: each is given up when it is free. */
  private renew(): void {
    const now = performance.now();
    if (now - this.renewedAt < RENEWAL_INTERVAL) return;
    if (now - this.renewedAt > RENEWAL_LOG_INTERVAL)
      this.logger.warn('PostgreSQL is read-only, as after a failover. Connecting again.');
    this.renewedAt = now;
    for (const client of this.clients) client.isOutdated = true;
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: OnClient): void;
  override connect(callback?: OnClient): Promise<pg.PoolClient> | undefined {
    if (callback) {
      this.connectInTime(callback);
      return undefined;
    }
    return new Promise((resolve, reject) => {
      this.connectInTime((error, client) => {
        if (client) resolve(client);
        else reject(error ?? new DatabaseUnresponsive());
      });
    });
  }

  /** A process that was busy itself must not take its own delay for the database's: it tries once more. */
  private connectInTime(callback: OnClient, triesLeft = 1): void {
    if (this.isOpen) {
      callback(new DatabaseUnresponsive(), undefined, () => undefined);
      return;
    }
    const due = performance.now() + (this.options.connectionTimeoutMillis ?? Infinity);
    super.connect((error, client, release) => {
      const wasBusy = TIMED_OUT.test(error?.message ?? '') && performance.now() - due > BUSY;
      if (wasBusy && triesLeft > 0) {
        this.connectInTime(callback, triesLeft - 1);
        return;
      }
      if (client instanceof ReadTimeoutClient && client.isOutdated) {
        release(true);
        this.connectInTime(callback, triesLeft);
        return;
      }
      if (error) markAsDatabaseError(error);
      callback(error, client, release);
    });
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
