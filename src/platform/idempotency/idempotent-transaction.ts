import { type DataSource, type EntityManager, QueryFailedError, type QueryRunner } from 'typeorm';
import { TransactionRolledBack } from '../database/pool/service-client.js';
import type { IsolationLevel, RunTransaction } from '../database/run-transaction.js';

type Work<T> = (manager: EntityManager) => Promise<T>;

/**
 * The transaction of a request with an `Idempotency-Key`. It begins at the first write, so a handler that waits for something
 * else holds no connection, and commits together with the stored response.
 */
export class IdempotentTransaction {
  private runner?: QueryRunner;
  private isolation?: IsolationLevel | undefined;
  private isOver = false;
  /** Transactions run one after the other: they share a connection. */
  private last: Promise<unknown> = Promise.resolve();

  /** @param begin runs the first statements of the transaction */
  constructor(
    private readonly dataSource: DataSource,
    private readonly begin: (manager: EntityManager, isolation?: IsolationLevel) => Promise<void>,
  ) {}

  /**
   * Runs work in the transaction. If the first work is rejected, the transaction is rolled back whole, so that it can be tried
   * again. Later ones are savepoints.
   * @throws Error for another isolation level than that of the first
   */
  readonly run: RunTransaction = <T>(isolation: IsolationLevel | undefined, work: Work<T>) =>
    this.inTurn(async () => {
      if (this.isOver) throw new Error('The unit of work has ended with its request.');
      const runner = this.running;
      if (!runner) return this.first(isolation, work);
      if (isolation !== undefined && isolation !== this.isolation)
        throw new Error(`A transaction is running: its isolation level cannot become ${isolation}.`);
      return runner.manager.transaction(work);
    });

  /** Runs the last work and commits. If either fails, nothing of the transaction remains. */
  commit(last: Work<void>): Promise<void> {
    return this.inTurn(async () => {
      const runner = this.running ?? (await this.start());
      try {
        await last(runner.manager);
        await runner.commitTransaction();
      } catch (error) {
        await this.end();
        throw error;
      }
      this.isOver = true;
      this.runner = undefined;
      await runner.release();
    });
  }

  /** Rolls back what has not been committed. */
  rollBack(): Promise<void> {
    return this.inTurn(async () => {
      this.isOver = true;
      await this.end();
    });
  }

  private async first<T>(isolation: IsolationLevel | undefined, work: Work<T>): Promise<T> {
    const runner = await this.start(isolation);
    try {
      return await work(runner.manager);
    } catch (error) {
      await this.end();
      throw error;
    }
  }

  /** @throws TransactionRolledBack if TypeORM has done so: after a failed statement it can set no savepoint */
  private get running(): QueryRunner | undefined {
    if (this.runner?.isTransactionActive === false) throw new TransactionRolledBack();
    return this.runner;
  }

  private async start(isolation?: IsolationLevel, isAgain = false): Promise<QueryRunner> {
    const runner = this.dataSource.createQueryRunner();
    this.runner = runner;
    this.isolation = isolation;
    try {
      await runner.startTransaction(isolation);
      await this.begin(runner.manager, isolation);
    } catch (error) {
      await this.end();
      if (isConflict(error) && !isAgain) return this.start(isolation, true);
      throw error;
    }
    return runner;
  }

  private async end(): Promise<void> {
    const { runner } = this;
    this.runner = undefined;
    this.isolation = undefined;
    if (!runner) return;
    try {
      if (runner.isTransactionActive) await runner.rollbackTransaction();
    } catch {
      // The connection is lost, and with it the transaction.
    } finally {
      await runner.release();
    }
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.last.then(work);
    this.last = result.catch(() => undefined);
    return result;
  }
}

/** SQLSTATE serialization_failure: here, the claim was renewed at the same instant. */
const isConflict = (error: unknown): boolean =>
  error instanceof QueryFailedError && 'code' in error && error.code === '40001';
