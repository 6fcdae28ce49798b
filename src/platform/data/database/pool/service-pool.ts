import { Logger } from '@nestjs/common';
import pg from 'pg';
import type { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { seconds, withTimeout } from '../../../kernel/clock/duration.js';
import { errorCodeOf } from '../../../kernel/errors/error-code.js';
import { QUERY_TIMEOUT, ServiceClient } from './service-client.js';

/** The pool of TypeORM. */
export const poolOf = ({ driver }: DataSource): pg.Pool => (driver as PostgresDriver).master as pg.Pool;

/**
 * The time that `end()` leaves to running statements, such as those of background work on a frozen server.
 */
const END_TIMEOUT = seconds(0.5);

/**
 * Time for the first connection, that of the start: a process that loads its modules may read its sockets
 * late.
 */
const FIRST_CONNECT_TIMEOUT = seconds(15);

/** SQLSTATE `too_many_connections`: of the server, the database or the role. */
const OUT_OF_CONNECTIONS = '53300';
/** How long the pool does not ask a server for more connections that has refused one. */
const REFUSED_PAUSE = seconds(1);

interface ServicePoolConfig extends pg.PoolConfig {
  readonly queryTimeout?: number | undefined;
}

type OnConnection = Parameters<pg.Pool['connect']>[0];

/**
 * A pool that closes released connections with an open transaction, and those to a server that is read-only
 * after a failover. If the server refuses further connections, requests wait for those that are open.
 */
export class ServicePool extends pg.Pool {
  /** Milliseconds for the response to a query, unless the query or its transaction names a time. */
  private readonly queryTimeout: number;
  private readonly logger = new Logger('Database');
  private readonly clients = new Set<pg.PoolClient>();
  private readonly size = this.options.max;
  private pause?: NodeJS.Timeout;

  constructor({ queryTimeout = QUERY_TIMEOUT, ...options }: ServicePoolConfig) {
    super({
      ...options,
      connectionTimeoutMillis: FIRST_CONNECT_TIMEOUT,
      Client: ServiceClient,
    });
    this.queryTimeout = queryTimeout;
    this.once('connect', () => {
      this.options.connectionTimeoutMillis = options.connectionTimeoutMillis;
    });
    // An error between two queries would otherwise end the process: `pg` listens only during queries and
    // while idle.
    this.on('connect', (client) => client.on('error', () => undefined));
    this.on('connect', (client) => this.clients.add(client));
    this.on('remove', (client) => this.clients.delete(client));
    this.on('acquire', (client) => {
      if (!(client instanceof ServiceClient)) return;
      client.isFree = false;
      client.queryTimeout = this.queryTimeout;
    });
    // Runs before the pool checks whether the client is ending, so that the pool removes it.
    this.on('release', (_error, client) => {
      if (!(client instanceof ServiceClient)) return;
      client.isFree = true;
      if (client.isReusable) return;
      if (!client.isLost && ['T', 'E'].includes(client.getTransactionStatus() ?? ''))
        this.logger.error(
          'A connection was released with an open transaction. Rolled it back and closed the connection.',
        );
      client.end().catch(() => undefined);
    });
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: OnConnection): void;
  override connect(callback?: OnConnection): Promise<pg.PoolClient> | undefined {
    if (callback) this.wait(callback);
    else
      return new Promise((resolve, reject) => {
        this.wait((error, client) => {
          if (client) resolve(client);
          else reject(error ?? new Error('There is no connection.'));
        });
      });
    return undefined;
  }

  private wait(callback: OnConnection, began = performance.now()): void {
    super.connect((error, client, release) => {
      const isFull = errorCodeOf(error) === OUT_OF_CONNECTIONS;
      const { connectionTimeoutMillis = Infinity } = this.options;
      if (!isFull || this.totalCount === 0 || performance.now() - began >= connectionTimeoutMillis)
        callback(error, client, release);
      else {
        this.askForNoMore();
        this.wait(callback, began);
      }
    });
  }

  /**
   * The pool is as large as the server allows now, so that further requests wait for a connection instead of
   * asking for one.
   */
  private askForNoMore(): void {
    this.options.max = this.clients.size || this.totalCount; // those that are still connecting may be refused
    this.pause ??= setTimeout(() => {
      this.pause = undefined;
      this.options.max = this.size;
    }, REFUSED_PAUSE).unref();
  }

  /**
   * Ends at the end of the service, when requests and background work have had their time. Does not wait for
   * a frozen server.
   */
  override end(callback?: (error?: Error) => void): Promise<void> {
    const destroy = () => {
      for (const client of this.clients) if (client instanceof ServiceClient) client.destroy();
    };
    const timer = setTimeout(destroy, END_TIMEOUT);
    // A connection that is still being opened cannot be destroyed; the end of the process closes it.
    const ended = withTimeout(super.end(), 2 * END_TIMEOUT, () => undefined).finally(() => {
      clearTimeout(timer);
    });
    return callback
      ? ended.then(() => {
          callback();
        }, callback)
      : ended;
  }
}
