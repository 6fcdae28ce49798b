import type { DataSource, EntityManager } from 'typeorm';
import { type IsolationLevel, savepoint } from '../../data/database/run-transaction.js';
import type { IdempotentOptions } from '../idempotency/idempotent.metadata.js';
import type { IdempotentTransaction } from '../idempotency/idempotent-transaction.js';
import { oneAtATime } from '../../kernel/concurrency/one-at-a-time.js';

export type Work<T> = (manager: EntityManager) => Promise<T>;

/** Where the writes of a `Changes` go. */
export interface ChangeScope {
  /** For reads. */
  readonly manager: EntityManager;
  /** Whether all writes belong to one running transaction. */
  readonly isTransaction: boolean;
  /**
   * Runs one write, all of it or nothing.
   * @param isOneStatement whether it needs no transaction for that
   */
  write<T>(isOneStatement: boolean, work: Work<T>): Promise<T>;
  /** Runs several reads and writes, all or none. */
  transaction<T>(isolation: IsolationLevel | undefined, work: Work<T>): Promise<T>;
}

/** Each write commits by itself. */
export function separateCommits(dataSource: DataSource): ChangeScope {
  const transaction: ChangeScope['transaction'] = (isolation, work) =>
    isolation === undefined ? dataSource.transaction(work) : dataSource.transaction(isolation, work);
  return {
    manager: dataSource.manager,
    isTransaction: false,
    write: (isOneStatement, work) =>
      isOneStatement ? work(dataSource.manager) : transaction(undefined, work),
    transaction,
  };
}

/** Writes join a running transaction. */
export const insideTransaction = (manager: EntityManager): ChangeScope => ({
  manager,
  isTransaction: true,
  write: (_, work) => work(manager),
  async transaction(isolation, work) {
    if (isolation !== undefined)
      throw new Error(`A transaction is running: its isolation level cannot become ${isolation}.`);
    if (!manager.queryRunner) throw new TypeError('This manager is not that of a transaction.');
    return savepoint(manager.queryRunner, work);
  },
});

/** What a request's unit of work depends on. */
export interface RequestOptions {
  /** The transaction of a request with an `Idempotency-Key`, in which each write is a savepoint. */
  readonly transaction: IdempotentTransaction | undefined;
  /** The options of the handler's `@Idempotent()`, if it has one. */
  readonly idempotent: IdempotentOptions | undefined;
}

/**
 * The scope of one request, the same to its handler with and without an `Idempotency-Key`: each write stands
 * alone, and writes that are begun side by side run one after the other.
 */
export function ofRequest(dataSource: DataSource, { transaction, idempotent }: RequestOptions): ChangeScope {
  const isolation = idempotent?.isolation;
  const commits = separateCommits(dataSource);
  const oneByOne = transaction?.oneAtATime ?? oneAtATime();
  let isInTransaction = false;
  const runAlone = <T>(work: Work<T>, level = isolation): Promise<T> =>
    transaction ? transaction.savepoint(work) : commits.transaction(level, work);
  return {
    manager: transaction?.manager ?? dataSource.manager,
    isTransaction: false,
    async write(isOneStatement, work) {
      if (isInTransaction) throw new HandlersChangesInUse();
      const needsNone = !transaction && isolation === undefined && isOneStatement;
      return oneByOne(() => (needsNone ? work(dataSource.manager) : runAlone(work)));
    },
    async transaction(level, work) {
      if (level !== undefined && idempotent) throw new IsolationOfHandler(level);
      if (isInTransaction) throw new HandlersChangesInUse();
      isInTransaction = true;
      return oneByOne(() => runAlone(work, level)).finally(() => (isInTransaction = false));
    },
  };
}

class HandlersChangesInUse extends Error {
  constructor() {
    super(
      'changes.transaction() is running. Inside it, write through the `changes` that its work gets; outside, await it first.',
    );
  }
}

class IsolationOfHandler extends Error {
  constructor(level: IsolationLevel) {
    super(
      `changes.transaction('${level}', …) is not for a handler with @Idempotent(): write @Idempotent({ isolation: '${level}' }).`,
    );
  }
}
