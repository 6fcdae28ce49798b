import type { QueryRunner } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import type { ReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { PostgresQueryRunner } from 'typeorm/driver/postgres/PostgresQueryRunner.js';
import type { AmbientTransaction, Savepoint } from './ambient-transaction.js';

const TRANSACTION_COMMAND = /^\s*(BEGIN|START\s+TRANSACTION|COMMIT|END|ROLLBACK|ABORT)\s*;?\s*$/i;
const SAVEPOINT_COMMAND = /^\s*(SAVEPOINT|RELEASE|ROLLBACK\s+TO)\b/i;

/**
 * A query runner on the connection of an ambient transaction. Its own transactions are savepoints. After the ambient
 * transaction it uses its own connection.
 */
export class JoiningQueryRunner extends PostgresQueryRunner {
  private readonly savepoints: Savepoint[] = [];

  constructor(
    driver: PostgresDriver,
    private readonly transaction: AmbientTransaction,
  ) {
    super(driver, 'master');
  }

  override connect(): ReturnType<PostgresQueryRunner['connect']> {
    return this.transaction.isOver ? super.connect() : this.transaction.owner.connect();
  }

  override async release(): Promise<void> {
    for (const savepoint of this.savepoints.splice(0)) await this.transaction.rollBack(savepoint);
    await super.release();
  }

  override async startTransaction(
    ...[isolation]: Parameters<PostgresQueryRunner['startTransaction']>
  ): Promise<void> {
    if (this.transaction.isOver) return super.startTransaction(isolation);
    if (isolation !== undefined && isolation !== 'READ COMMITTED') {
      throw new Error(
        `An idempotent operation is one transaction, which is READ COMMITTED and not ${isolation}.`,
      );
    }
    this.isTransactionActive = true;
    const beginning = this.transaction.begin(this);
    await this.broadcaster.broadcast('BeforeTransactionStart');
    this.savepoints.push(await beginning);
    return this.broadcaster.broadcast('AfterTransactionStart');
  }

  override async commitTransaction(): Promise<void> {
    const savepoint = this.savepoints.at(-1);
    if (!savepoint) return super.commitTransaction();
    await this.broadcaster.broadcast('BeforeTransactionCommit');
    await this.transaction.commit(savepoint);
    this.closeInnermost();
    await this.broadcaster.broadcast('AfterTransactionCommit');
  }

  override async rollbackTransaction(): Promise<void> {
    const savepoint = this.savepoints.at(-1);
    if (!savepoint) return super.rollbackTransaction();
    await this.broadcaster.broadcast('BeforeTransactionRollback');
    await this.transaction.rollBack(savepoint);
    this.closeInnermost();
    await this.broadcaster.broadcast('AfterTransactionRollback');
  }

  override query(
    ...[sql, values, structured]: Parameters<PostgresQueryRunner['query']>
  ): ReturnType<PostgresQueryRunner['query']> {
    const run = () => super.query(sql, values, structured);
    if (this.transaction.isOver) return run();
    if (TRANSACTION_COMMAND.test(sql)) {
      return Promise.reject(
        new Error(`Use the query runner's methods, or dataSource.transaction(), for ${sql}`),
      );
    }
    return SAVEPOINT_COMMAND.test(sql) ? this.transaction.runBare(run) : this.transaction.run(this, sql, run);
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

  private closeInnermost(): void {
    this.savepoints.pop();
    this.isTransactionActive = this.savepoints.length > 0;
  }
}
