import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers/promises';
import pg, { type Pool } from 'pg';
import type { DataSource, EntityManager } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { ServiceUnavailable } from '../../kernel/errors/common.errors.js';
import type { ServiceClient } from './service-client.js';

const running = new AsyncLocalStorage<SharedTransaction>();

/** The shared transaction of this async context, if it uses the pool. */
export function runningTransaction(pool: Pool): SharedTransaction | undefined {
  const transaction = running.getStore();
  return transaction?.pool === pool && !transaction.isOver ? transaction : undefined;
}

/** Whether statements without a query runner run in a shared transaction. */
export const isInTransaction = (dataSource: DataSource): boolean =>
  runningTransaction(poolOf(dataSource)) !== undefined;

/** The pool of TypeORM. */
export const poolOf = ({ driver }: DataSource): Pool => (driver as PostgresDriver).master as Pool;

/** A statement ended the shared transaction. Earlier writes may be committed. */
class TransactionEnded extends Error {
  constructor() {
    super(
      'A statement ended the shared transaction. Use dataSource.transaction() instead of COMMIT or ROLLBACK.',
    );
  }
}

/**
 * Runs work in one transaction, which commits when the work resolves. Within `join`, all connections from the pool share the
 * transaction. Transactions of the work become savepoints, which can fail independently.
 * @param work gets the manager of the transaction, for statements before and after `join`
 * @throws TransactionEnded, ServiceUnavailable if the connection is lost, and the errors of the work
 */
export async function inOneTransaction<T>(
  dataSource: DataSource,
  work: (manager: EntityManager, join: <R>(joined: () => Promise<R>) => Promise<R>) => Promise<T>,
): Promise<T> {
  const runner = dataSource.createQueryRunner();
  try {
    await runner.startTransaction();
    const client = (await runner.connect()) as ServiceClient;
    const transaction = new SharedTransaction(poolOf(dataSource), client);
    const result = await work(runner.manager, (joined) => transaction.run(joined));
    await runner.commitTransaction();
    return result;
  } catch (error) {
    if (runner.isReleased) throw new ServiceUnavailable({ cause: error }); // its connection was lost
    if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined);
    throw error;
  } finally {
    await runner.release();
  }
}

/** SQLSTATE: no such savepoint, no transaction. */
const UNKNOWN = ['3B001', '25P01'];

/**
 * A transaction on one connection that several users share. In PostgreSQL a failed statement aborts the transaction, so each
 * statement outside an inner transaction gets its own savepoint: a handler can catch the error and continue.
 */
export class SharedTransaction {
  isOver = false;
  /** Open inner transactions by connection, and whether another connection has written since they began. */
  private readonly inner = new Map<object, { hasOtherWrites: boolean }>();
  private savepoints = 0;
  /** The limit of the statements; NaN if a rollback may have restored an earlier one. */
  private timeout: number | undefined;
  private pending = 0;
  private last: Promise<unknown> = Promise.resolve();
  private failure?: Error;
  private isConnected = true;
  private changed: () => void = () => undefined;

  constructor(
    readonly pool: Pool,
    readonly client: ServiceClient,
  ) {}

  /** Also waits for statements that the work does not await. Later connections are separate again. @throws TransactionEnded */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const lose = () => {
      this.isConnected = false;
      this.changed();
    };
    this.client.on('end', lose);
    try {
      const result = await running.run(this, work);
      await this.settle();
      if (this.failure) throw this.failure;
      await this.limitStatements(undefined);
      return result;
    } catch (error) {
      await this.settle();
      throw this.failure instanceof TransactionEnded ? this.failure : error;
    } finally {
      this.isOver = true;
      this.client.off('end', lose);
    }
  }

  /** Runs a statement after all earlier ones, in order of the calls. */
  async inTurn<T>(by: object, mayWrite: boolean, statement: () => Promise<T>): Promise<T> {
    if (this.isOver) throw new Error('The transaction of this connection is over.');
    this.pending++;
    const result = this.last.then(() => (this.inner.has(by) ? statement() : this.apart(statement)));
    this.last = result.catch(() => undefined);
    try {
      return await result;
    } finally {
      if (mayWrite) {
        for (const [other, transaction] of this.inner) transaction.hasOtherWrites ||= other !== by;
      }
      this.pending--;
      this.changed();
    }
  }

  /** Sets the limit of the next statements, unless it is set. @param timeout milliseconds; undefined for the usual limits */
  async limitStatements(timeout: number | undefined): Promise<void> {
    if (timeout === this.timeout) return;
    await this.client.limitStatements(timeout);
    this.timeout = timeout;
  }

  /** Begins an inner transaction of a connection. @returns the name of its savepoint */
  begin(by: object): string {
    if (!this.inner.has(by)) this.inner.set(by, { hasOtherWrites: false });
    return `petstore_${++this.savepoints}`;
  }

  rollBack(by: object): void {
    this.timeout = NaN;
    if (!this.inner.get(by)?.hasOtherWrites) return;
    this.failure ??= new Error(
      'A transaction was rolled back together with writes of another one. Run transactions of one request in sequence.',
    );
  }

  end(by: object): void {
    this.inner.delete(by);
    this.changed();
  }

  private async apart<T>(statement: () => Promise<T>): Promise<T> {
    await this.client.query('SAVEPOINT petstore_statement');
    let result: T;
    try {
      result = await statement();
    } catch (error) {
      await this.endSavepoint('ROLLBACK TO', error);
      this.timeout = NaN;
      throw error;
    }
    await this.endSavepoint('RELEASE');
    return result;
  }

  /**
   * @param cause the error of the statement: after a timeout the connection is closed, and the savepoint fails only for that
   * @throws TransactionEnded if the savepoint is unknown, which means that the transaction has ended
   */
  private async endSavepoint(end: 'RELEASE' | 'ROLLBACK TO', cause?: unknown): Promise<void> {
    try {
      await this.client.query(`${end} SAVEPOINT petstore_statement`);
    } catch (error) {
      const isUnknown = error instanceof pg.DatabaseError && UNKNOWN.includes(error.code ?? '');
      if (isUnknown) throw (this.failure = new TransactionEnded());
      const first = (cause ?? error) as Error;
      this.failure ??= first;
      throw first;
    }
  }

  private async settle(): Promise<void> {
    await setImmediate(); // lets statements that were not awaited start
    while (this.isConnected && this.pending + this.inner.size > 0) {
      await new Promise<void>((resolve) => (this.changed = resolve));
    }
  }
}
