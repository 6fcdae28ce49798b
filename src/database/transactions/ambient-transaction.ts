import { AsyncLocalStorage } from 'node:async_hooks';
import type { Client } from 'pg';
import { type DataSource, QueryFailedError, type QueryRunner } from 'typeorm';
import { ServiceUnavailable } from '../../kernel/errors/common.errors.js';

const running = new AsyncLocalStorage<AmbientTransaction>();

/** The current transaction of a data source, which its queries join. */
export function runningTransaction(dataSource: DataSource): AmbientTransaction | undefined {
  const transaction = running.getStore();
  return transaction?.dataSource === dataSource && !transaction.isOver ? transaction : undefined;
}

/** The work has ended the transaction by a statement of its own: what it had written before that is committed. */
export class TransactionEnded extends Error {
  constructor(options?: ErrorOptions) {
    super(
      'A statement has ended the transaction that others belong to. Use dataSource.transaction().',
      options,
    );
  }
}

/** Set at the begin. It is gone when a statement of the work has ended the transaction, even if that began another one. */
const BEGUN = 'petstore_begun';

/**
 * Runs work in one transaction, which commits when its promise resolves. Every repository, manager, query builder and query
 * runner of the data source joins it. Transactions of the work become savepoints, which can fail by themselves.
 * @throws TransactionEnded, ServiceUnavailable when the connection is lost, and whatever the work throws
 */
export async function inTransaction<T>(dataSource: DataSource, work: () => Promise<T>): Promise<T> {
  if (runningTransaction(dataSource)) return dataSource.transaction(work);
  const runner = dataSource.createQueryRunner();
  try {
    await runner.startTransaction();
    await runner.query(`SAVEPOINT ${BEGUN}`);
    const transaction = new AmbientTransaction(dataSource, runner, (await runner.connect()) as Client);
    const result = await running.run(transaction, work).finally(() => transaction.complete());
    transaction.expectNothingLost();
    if (await isUnknown(runner, `RELEASE SAVEPOINT ${BEGUN}`)) throw new TransactionEnded();
    await runner.commitTransaction();
    return result;
  } catch (error) {
    if (runner.isReleased) throw new ServiceUnavailable({ cause: error }); // its connection was lost
    // The connection may be what failed.
    const hasEnded = await isUnknown(runner, `ROLLBACK TO SAVEPOINT ${BEGUN}`).catch(() => false);
    await runner.rollbackTransaction().catch(() => undefined);
    throw hasEnded ? new TransactionEnded({ cause: error }) : error;
  } finally {
    await runner.release();
  }
}

/** SQLSTATE: no such savepoint, no transaction. */
const UNKNOWN = ['3B001', '25P01'];

/** Whether PostgreSQL does not know the savepoint of a command. */
async function isUnknown(runner: QueryRunner, command: string): Promise<boolean> {
  try {
    await runner.query(command);
    return false;
  } catch (error) {
    const code = error instanceof QueryFailedError && (error.driverError as { code?: string }).code;
    if (UNKNOWN.includes(String(code))) return true;
    throw error;
  }
}

/**
 * A transaction on one connection that several query runners share. In PostgreSQL a failed statement ends the transaction,
 * so a statement outside of a transaction of the work gets its own savepoint: a handler can catch the error and continue.
 */
export class AmbientTransaction {
  isOver = false;
  /** Transactions of the work, and whether another query runner has written since they began. */
  private readonly inner = new Map<QueryRunner, { hasOtherWrites: boolean }>();
  private runners = 0;
  private pending = 0;
  private last: Promise<unknown> = Promise.resolve();
  private hasLostWrites = false;
  private isConnected = true;
  private changed: () => void = () => undefined;

  constructor(
    readonly dataSource: DataSource,
    readonly owner: QueryRunner,
    private readonly client: Client,
  ) {
    client.on('end', this.lose);
  }

  /** A number for a query runner. */
  nextRunner(): number {
    return ++this.runners;
  }

  /** Runs a statement of a query runner after the earlier ones. @throws TransactionEnded */
  async run<T>(runner: QueryRunner, sql: string, statement: () => Promise<T>): Promise<T> {
    this.pending++;
    const result = this.last.then(() => (this.inner.has(runner) ? statement() : this.runApart(statement)));
    this.last = result.catch(() => undefined);
    try {
      const value = await result;
      if (this.client.getTransactionStatus() === 'I') throw new TransactionEnded();
      return value;
    } finally {
      if (!sql.startsWith('SELECT')) this.noteWrite(runner);
      this.settled();
    }
  }

  /** A transaction of the work begins on a query runner. */
  begin(runner: QueryRunner): void {
    this.inner.set(runner, { hasOtherWrites: false });
    this.pending++;
  }

  noteRollback(runner: QueryRunner): void {
    this.hasLostWrites ||= this.inner.get(runner)?.hasOtherWrites === true;
  }

  /** The transaction of a query runner has ended. */
  end(runner: QueryRunner): void {
    if (this.inner.delete(runner)) this.settled();
  }

  /** Waits for what the work has not awaited. After that, query runners get their own connections. */
  async complete(): Promise<void> {
    while (this.isConnected && this.pending > 0) {
      await new Promise<void>((resolve) => (this.changed = resolve));
    }
    this.isOver = true;
    this.client.off('end', this.lose);
  }

  /** @throws Error when a rollback has lost a part of the work */
  expectNothingLost(): void {
    if (!this.hasLostWrites) return;
    throw new Error(
      'A transaction was rolled back after another one had written within it. Run them in turn.',
    );
  }

  private async runApart<T>(statement: () => Promise<T>): Promise<T> {
    await this.client.query('SAVEPOINT petstore_statement');
    try {
      const result = await statement();
      if (this.client.getTransactionStatus() !== 'I')
        await this.client.query('RELEASE SAVEPOINT petstore_statement');
      return result;
    } catch (error) {
      // The connection may be what failed.
      await this.client.query('ROLLBACK TO SAVEPOINT petstore_statement').catch(() => undefined);
      throw error;
    }
  }

  private noteWrite(runner: QueryRunner): void {
    for (const [other, transaction] of this.inner) transaction.hasOtherWrites ||= other !== runner;
  }

  private readonly lose = (): void => {
    this.isConnected = false;
    this.changed();
  };

  private settled(): void {
    this.pending--;
    this.changed();
  }
}
