import type { ReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { type QueryRunner, TransactionNotStartedError } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { PostgresQueryRunner } from 'typeorm/driver/postgres/PostgresQueryRunner.js';
import type { AmbientTransaction } from './ambient-transaction.js';
import { ServiceQueryRunner } from './service-query-runner.js';

/** More levels than a query runner has. */
const LEVELS = 1_000;

/**
 * A query runner on the connection of an ambient transaction. Its own transactions are the savepoints of TypeORM. After the
 * ambient transaction it uses its own connection.
 */
export class JoiningQueryRunner extends ServiceQueryRunner {
  /** The level of TypeORM at which no transaction of this query runner is open. The savepoints of each runner have names of their own. */
  private readonly level: number;

  constructor(
    driver: PostgresDriver,
    private readonly transaction: AmbientTransaction,
  ) {
    super(driver, 'master');
    this.level = this.transactionDepth = LEVELS * transaction.nextRunner();
  }

  override connect(): ReturnType<PostgresQueryRunner['connect']> {
    return this.transaction.isOver ? super.connect() : this.transaction.owner.connect();
  }

  override async release(): Promise<void> {
    // The connection may be what failed.
    while (!this.transaction.isOver && this.isTransactionActive)
      await this.rollbackTransaction().catch(() => undefined);
    await super.release();
  }

  override async startTransaction(
    ...[isolation]: Parameters<PostgresQueryRunner['startTransaction']>
  ): Promise<void> {
    if (this.transaction.isOver) {
      if (!this.isTransactionActive) this.transactionDepth = 0;
      return super.startTransaction(isolation);
    }
    if (isolation !== undefined && isolation !== 'READ COMMITTED') {
      throw new Error(
        `An idempotent operation is one transaction, which is READ COMMITTED and not ${isolation}.`,
      );
    }
    if (!this.isTransactionActive) this.transaction.begin(this);
    try {
      await super.startTransaction();
    } catch (error) {
      this.leaveFor(this.transactionDepth);
      throw error;
    }
  }

  /** Its savepoint stays, because to release it would release those of others that have begun since. */
  override async commitTransaction(): Promise<void> {
    if (this.transaction.isOver) return super.commitTransaction();
    if (!this.isTransactionActive) throw new TransactionNotStartedError();
    await this.broadcaster.broadcast('BeforeTransactionCommit');
    await this.query('SELECT'); // fails where a statement has failed, as the release does
    this.leaveFor(this.transactionDepth - 1);
    await this.broadcaster.broadcast('AfterTransactionCommit');
  }

  override async rollbackTransaction(): Promise<void> {
    if (this.transaction.isOver) return super.rollbackTransaction();
    if (!this.isTransactionActive) throw new TransactionNotStartedError();
    const level = this.transactionDepth - 1;
    try {
      await super.rollbackTransaction();
    } finally {
      this.transaction.noteRollback(this);
      this.leaveFor(level); // also where another rollback has taken the savepoint away
    }
  }

  override query(
    ...[sql, values, structured]: Parameters<PostgresQueryRunner['query']>
  ): ReturnType<PostgresQueryRunner['query']> {
    const run = () => super.query(sql, values, structured);
    return this.transaction.isOver ? run() : this.transaction.run(this, sql, run);
  }

  /** Reads all rows at once, because other query runners share the connection. */
  override async stream(
    ...[sql, values, onEnd, onError]: Parameters<QueryRunner['stream']>
  ): ReturnType<QueryRunner['stream']> {
    if (this.transaction.isOver) return super.stream(sql, values, onEnd, onError);
    const stream = Readable.from((await this.query(sql, values)) as object[]);
    stream.on('end', () => void onEnd?.()).on('error', (error) => void onError?.(error));
    return stream as ReadStream; // the type that TypeORM declares
  }

  private leaveFor(level: number): void {
    this.transactionDepth = level;
    this.isTransactionActive = level > this.level;
    if (!this.isTransactionActive) this.transaction.end(this);
  }
}
