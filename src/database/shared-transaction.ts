import { AsyncLocalStorage } from 'node:async_hooks';
import { DataSource, type QueryRunner, type ReplicationMode } from 'typeorm';
import { ServiceUnavailable } from '../kernel/errors/service-unavailable.error.js';

interface Transaction {
  readonly runner: QueryRunner;
  isOver: boolean;
}

const running = new AsyncLocalStorage<Transaction>();
let open = 0;

/**
 * A data source whose queries join the transaction in which they are made: inside `inTransaction` every repository,
 * manager and query builder works on its connection, though whoever calls them knows nothing of it.
 */
export class SharedDataSource extends DataSource {
  override createQueryRunner(mode?: ReplicationMode): QueryRunner {
    // One that lost its connection is still the right one: on another, a part of its work would be committed.
    return runningTransaction() ?? super.createQueryRunner(mode);
  }
}

/** The transaction in which this is asked, if there is one. */
export function runningTransaction(): QueryRunner | undefined {
  const transaction = running.getStore();
  return transaction?.isOver === false ? transaction.runner : undefined;
}

/**
 * Does all work or none of it: what it writes is there when the promise resolves, and not when it rejects.
 * @throws ServiceUnavailable when the connection was lost meanwhile, and whatever the work throws
 */
export async function inTransaction<T>(dataSource: DataSource, work: () => Promise<T>): Promise<T> {
  const runner = dataSource.createQueryRunner();
  const release = runner.release.bind(runner);
  runner.release = () => Promise.resolve(); // those who join it give back what they did not take
  const transaction: Transaction = { runner, isOver: false };
  open++;
  try {
    await runner.startTransaction();
    const result = await running.run(transaction, work);
    await runner.commitTransaction();
    return result;
  } catch (error) {
    if (runner.isReleased) throw new ServiceUnavailable({ cause: error }); // its connection was lost
    await runner.rollbackTransaction().catch(() => undefined); // the connection may be what failed
    throw error;
  } finally {
    transaction.isOver = true;
    await release();
    if (--open === 0) running.disable(); // while it is in use, Node 20 pays for it with every promise of the process
  }
}
