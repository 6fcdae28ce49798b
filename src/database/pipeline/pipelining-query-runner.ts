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
const ROLLBACK = /^\s*(ROLLBACK|ABORT)(\s+(WORK|TRANSACTION))?\s*;?\s*$/i;
const ROLLBACK_TO = /^\s*ROLLBACK(\s+(WORK|TRANSACTION))?\s+TO\b/i;
/** What begins or ends a transaction in any other way, or makes prepared statements unknown. */
const CONTROL = /\b(BEGIN|START|COMMIT|END|ABORT|ROLLBACK|DEALLOCATE|DISCARD)\b/i;
const SAVEPOINT = /^\s*SAVEPOINT\b/i;

/** Writes of one packet. */
const MAX_DEFERRED = 32;

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
 * (docs/performance.md). What is sent together is determined when a method is called, and sent in the order of the calls.
 */
export class PipeliningQueryRunner extends PostgresQueryRunner {
  /** The begin, or writes of a transaction, that are not sent yet. */
  private deferred: BoundStatement[] = [];
  /** Whether a transaction has begun here, and its end was not called yet. */
  private isOpen = false;
  /** Why nothing can run until the transaction is rolled back. */
  private failure: Error | undefined;
  /** Whether statements reach the connection that this class does not know: then each is sent by itself. */
  private isShared = false;
  private isConnecting = false;
  private last: Promise<unknown> = Promise.resolve();

  /** Runs a statement of the transaction. */
  async run(statement: BoundStatement): Promise<RawRows> {
    const packet = this.take();
    // Nothing can run after a prepared statement that PostgreSQL refuses because a column has changed; a begin can be repeated.
    packet.push(packet[0] === begin ? statement : unprepared(statement));
    return (await this.enqueue(() => this.send(packet))).rowsOf(packet.length - 1);
  }

  /** Runs a write of the transaction later, with the next statement. That one fails if the write does. */
  async defer(write: BoundStatement): Promise<void> {
    if (this.isReleased) throw new QueryRunnerAlreadyReleasedError();
    if (this.isOpen && !this.isShared) this.deferred.push(write);
    else await this.run(write);
    if (this.deferred.length >= MAX_DEFERRED) {
      const packet = this.take();
      await this.enqueue(() => this.send(packet));
    }
  }

  override async query(
    ...[sql, values, structured]: Parameters<PostgresQueryRunner['query']>
  ): ReturnType<PostgresQueryRunner['query']> {
    if (this.isReleased) throw new QueryRunnerAlreadyReleasedError();
    if (sql === BEGIN && !this.isShared && !this.isOpen) {
      this.isOpen = true;
      this.deferred = [begin];
      return [];
    }
    const [isRollback, isPartial] = [ROLLBACK.test(sql), ROLLBACK_TO.test(sql)];
    if (isRollback || isPartial) this.deferred = this.deferred.filter((one) => one === begin);
    const packet = this.take();
    const isUnsent = packet.length === 1 && packet[0] === begin;
    if (sql === COMMIT || isRollback) {
      this.isOpen = false;
      if (isUnsent) return [];
    } else if (!isPartial) this.isShared ||= !this.isOpen || CONTROL.test(sql);
    if (sql === COMMIT && packet.length > 0) {
      await this.enqueue(() => this.send([...packet, commit]));
      return [];
    }
    const isSavepoint = isPartial || SAVEPOINT.test(sql);
    const run = () => super.query(sql, values, structured);
    return this.enqueue(() => this.sendApart(packet, { isRollback, isSavepoint }, run));
  }

  /** For others. The statements of TypeORM ask for the connection here, too. */
  override connect(): Promise<unknown> {
    if (this.isConnecting) return super.connect();
    this.isShared = true;
    const packet = this.take();
    return this.enqueue(async () => {
      if (packet.length > 0) await this.send(packet);
      return (await super.connect()) as unknown;
    });
  }

  private take(): BoundStatement[] {
    return this.deferred.splice(0);
  }

  private enqueue<T>(work: () => Promise<T>): Promise<T> {
    const result = this.last.then(work);
    this.last = result.catch(() => undefined);
    return result;
  }

  /** Runs a statement of TypeORM after a packet. */
  private async sendApart(
    packet: readonly BoundStatement[],
    { isRollback, isSavepoint }: { readonly isRollback: boolean; readonly isSavepoint: boolean },
    query: () => Promise<unknown>,
  ): Promise<unknown> {
    const error = packet.length > 0 ? await failureOf(this.send(packet)) : undefined;
    if (isRollback) this.failure = undefined;
    // TypeORM would take a savepoint that fails for the end of the transaction, and go on outside of it.
    if (isSavepoint) this.failure ??= error;
    if (this.failure) {
      if (isSavepoint) return [];
      throw this.failure;
    }
    this.isConnecting = true;
    const result = query(); // also after an error: it may end the transaction
    this.isConnecting = false;
    if (!error) return result;
    await failureOf(result);
    throw error;
  }

  private async send(packet: readonly BoundStatement[]): Promise<PipelinedQuery> {
    if (this.failure) throw this.failure;
    if (this.isReleased) throw new QueryRunnerAlreadyReleasedError();
    try {
      const client = (await super.connect()) as Client;
      return await runAll(packet, client).catch(async (error: unknown) => {
        if (packet[0] !== begin || !isStale(error)) throw error;
        await client.query('ROLLBACK');
        return runAll(packet, client);
      });
    } catch (error) {
      const hasBegun = packet[0] !== begin || (error instanceof QueryFailedError && error.query !== BEGIN);
      if (!hasBegun) this.failure = error as Error;
      throw error;
    }
  }
}

const failureOf = (work: Promise<unknown>): Promise<Error | undefined> =>
  work.then(
    () => undefined,
    (error: unknown) => error as Error,
  );

/** @throws QueryFailedError */
function runAll(packet: readonly BoundStatement[], client: Client): Promise<PipelinedQuery> {
  return new Promise((resolve, reject) => {
    const query = new PipelinedQuery(
      packet,
      (error) => {
        const { text, values } = packet[query.current] ?? commit;
        if (error) reject(new QueryFailedError(text, [...values], error));
        else resolve(query);
      },
      (i) => packet[i - 1] !== begin && packet[i] !== commit, // which take little time
    );
    client.query(query);
  });
}
