import { type DataSource, type EntityManager, EntityNotFoundError } from 'typeorm';
import { type IsolationLevel, savepoint } from '../../data/database/run-transaction.js';
import { TransactionRolledBack } from '../../data/database/transaction-rolled-back.js';
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
  /** Begins a write, which may fail before it writes. */
  begin<T>(write: () => Promise<T>): Promise<T>;
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
    begin: (write) => write(),
    write: (isOneStatement, work) =>
      isOneStatement ? work(dataSource.manager) : transaction(undefined, work),
    transaction,
  };
}

/**
 * Runs work whose writes join a running transaction. It ends when all that were begun have ended. One that
 * has failed dooms the transaction, also if its error is caught: its row may be there without its event.
 * @throws TransactionRolledBack if the work ignores that a write has failed
 */
export async function insideTransaction<T>(
  manager: EntityManager,
  work: (scope: ChangeScope) => Promise<T>,
): Promise<T> {
  const begun = new Set<Promise<unknown>>();
  let failure: { readonly cause: unknown } | undefined;
  let isOver = false;
  const begin = <R>(run: () => Promise<R>, onError?: (error: unknown) => void): Promise<R> => {
    if (isOver) return Promise.reject(new TransactionEnded());
    const result = run();
    const ended = result
      .then(() => undefined, onError ?? (() => undefined))
      .finally(() => begun.delete(ended));
    begun.add(ended);
    return result;
  };
  const scope: ChangeScope = {
    manager,
    isTransaction: true,
    begin: (write) =>
      begin(write, (cause) => {
        if (!(cause instanceof EntityNotFoundError)) failure ??= { cause }; // it has written nothing
      }),
    write: (_, write) => write(manager),
    // Its error is its caller's, and its savepoint is rolled back.
    transaction: async (isolation, nested) => {
      if (isolation !== undefined)
        throw new Error(`A transaction is running: its isolation level cannot become ${isolation}.`);
      const { queryRunner } = manager;
      if (!queryRunner) throw new TypeError('This manager is not that of a transaction.');
      return begin(() => savepoint(queryRunner, nested));
    },
  };
  let result: T;
  try {
    result = await work(scope);
  } finally {
    while (begun.size > 0) await Promise.allSettled(begun);
    isOver = true;
  }
  if (failure) throw new TransactionRolledBack(failure);
  return result;
}

class TransactionEnded extends Error {
  constructor() {
    super('The transaction has ended: await what is written in it before its work ends.');
  }
}

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
    begin: (write) => write(),
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
