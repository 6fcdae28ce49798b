import type { Client } from 'pg';
import {
  type DataSource,
  QueryFailedError,
  QueryRunnerAlreadyReleasedError,
  type ReplicationMode,
} from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { PostgresQueryRunner } from 'typeorm/driver/postgres/PostgresQueryRunner.js';
import { PipelinedQuery } from './pipelined-query.js';
import { bind, type BoundStatement, isStale, type RawRows, statement, unprepared } from './statement.js';

/** As TypeORM writes them. */
const [BEGIN, COMMIT] = ['START TRANSACTION', 'COMMIT'];
const begin = bind(statement(BEGIN), []);
const commit = bind(statement(COMMIT), []);
/** Of the transaction, or to a savepoint. */
const ROLLBACK = /^\s*ROLLBACK\b/i;

/** The query runners of a data source send several statements of a transaction in one packet. */
export function pipelineTransactions(dataSource: DataSource): void {
  const driver = dataSource.driver as PostgresDriver;
  driver.createQueryRunner = (mode: ReplicationMode) =>
    isObserved(dataSource) ? new PostgresQueryRunner(driver, mode) : new PipeliningQueryRunner(driver, mode);
}

/** Whether something looks at each statement. */
export const isObserved = ({ options, subscribers }: DataSource): boolean =>
  [options.logging, options.logger, options.maxQueryExecutionTime].some(Boolean) ||
  subscribers.some((subscriber) => 'beforeQuery' in subscriber || 'afterQuery' in subscriber);

/**
 * A query runner that sends the begin of a transaction with its first statement, and a write without a result with the next
 * statement, at the latest with the commit. A change of a pet takes two packets instead of four, and 0.65 of the CPU
 * (docs/performance.md).
 */
export class PipeliningQueryRunner extends PostgresQueryRunner {
  private deferred: BoundStatement[] = [];
  /** The last packet. */
  private last: Promise<unknown> = Promise.resolve();
  /** Why no transaction began. What follows may not run outside of one. */
  private failure: Error | undefined;
  /** Whether the connection is known outside: then everything is sent at once. */
  private isShared = false;
  private isConnecting = false;

  /** Runs a statement of the transaction. */
  async run(statement: BoundStatement): Promise<RawRows> {
    const packet = this.deferred.splice(0);
    // Nothing can run after a prepared statement that PostgreSQL refuses because a column has changed; a begin can be repeated.
    packet.push(packet[0] === begin ? statement : unprepared(statement));
    return (await this.send(packet)).rowsOf(packet.length - 1);
  }

  /** Runs a write of the transaction later, with the next statement. That one fails if the write does. */
  async defer(write: BoundStatement): Promise<void> {
    this.deferred.push(write);
    if (this.isShared) await this.flush();
  }

  override async query(
    ...[sql, values, structured]: Parameters<PostgresQueryRunner['query']>
  ): ReturnType<PostgresQueryRunner['query']> {
    if (this.isReleased) throw new QueryRunnerAlreadyReleasedError();
    if (sql === BEGIN && !this.isShared) {
      this.failure = undefined;
      this.deferred = [begin];
      return [];
    }
    const isUnsent = this.deferred[0] === begin;
    if (sql === COMMIT && this.deferred.length > 0) {
      const writes = this.deferred.splice(0);
      if (!isUnsent || writes.length > 1) await this.send([...writes, commit]);
      return [];
    }
    if (ROLLBACK.test(sql)) {
      this.deferred = []; // PostgreSQL would undo them
      if (isUnsent || this.failure) return [];
    }
    this.isConnecting = true;
    const result = super.query(sql, values, structured);
    this.isConnecting = false;
    return result;
  }

  /** Every statement of TypeORM asks for the connection, too. */
  override async connect(): Promise<unknown> {
    this.isShared ||= !this.isConnecting;
    const connection: unknown = await super.connect();
    await this.flush();
    return connection;
  }

  private async flush(): Promise<void> {
    if (this.deferred.length > 0) await this.send(this.deferred.splice(0));
    else await this.last;
    if (this.failure) throw this.failure;
  }

  private send(packet: readonly BoundStatement[]): Promise<PipelinedQuery> {
    const sent = this.last.then(() => this.sendNow(packet));
    this.last = sent.catch(() => undefined);
    return sent;
  }

  private async sendNow(packet: readonly BoundStatement[]): Promise<PipelinedQuery> {
    if (this.failure) throw this.failure;
    const client = (await super.connect()) as Client;
    if (this.isReleased) throw new QueryRunnerAlreadyReleasedError();
    try {
      return await runAll(packet, client);
    } catch (error) {
      if (packet[0] !== begin) throw error;
      if (isStale(error)) {
        await client.query('ROLLBACK');
        return await runAll(packet, client);
      }
      if (error instanceof QueryFailedError && error.query === BEGIN) this.failure = error;
      throw error;
    }
  }
}

/** @throws QueryFailedError */
function runAll(packet: readonly BoundStatement[], client: Client): Promise<PipelinedQuery> {
  return new Promise((resolve, reject) => {
    const query = new PipelinedQuery(packet, (error) => {
      const { text, values } = packet[query.current] ?? commit;
      if (error) reject(new QueryFailedError(text, [...values], error));
      else resolve(query);
    });
    client.query(query);
  });
}
