import type { EntityManager, QueryRunner } from 'typeorm';
import { TransactionRolledBack } from './transaction-rolled-back.js';

export type IsolationLevel = NonNullable<Parameters<QueryRunner['startTransaction']>[0]>;

/** The levels at which each statement sees what was committed before the transaction's first one. */
export const hasOneSnapshot = (isolation: IsolationLevel | undefined): boolean =>
  isolation === 'REPEATABLE READ' || isolation === 'SERIALIZABLE';

/**
 * Runs work in a savepoint of the running transaction. If the work is rejected, only what it did is rolled
 * back. TypeORM's own nested `transaction()` loses count if a savepoint cannot be set, and then commits the
 * outer transaction with the inner one.
 * @throws TransactionRolledBack if a statement had failed before, or if the work ignores that one of its own
 *   has failed
 */
export async function savepoint<T>(
  runner: QueryRunner,
  work: (manager: EntityManager) => Promise<T>,
): Promise<T> {
  if (!runner.isTransactionActive) throw new TransactionRolledBack();
  await runner.startTransaction().catch(rethrowAsRolledBack);
  let result: T;
  try {
    result = await work(runner.manager);
  } catch (error) {
    await runner.rollbackTransaction().catch(() => undefined); // the error of the work says more
    throw error;
  }
  try {
    await runner.commitTransaction();
  } catch (error) {
    await runner.rollbackTransaction().catch(() => undefined);
    return rethrowAsRolledBack(error);
  }
  return result;
}

/** SQLSTATE of a statement in a transaction that has failed. */
const IN_FAILED_TRANSACTION = '25P02';

function rethrowAsRolledBack(error: unknown): never {
  const { code } = error as { readonly code?: string };
  throw code === IN_FAILED_TRANSACTION ? new TransactionRolledBack() : error;
}
