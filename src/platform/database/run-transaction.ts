import type { EntityManager, QueryRunner } from 'typeorm';

export type IsolationLevel = NonNullable<Parameters<QueryRunner['startTransaction']>[0]>;

/** Runs work in a transaction, which commits when the work resolves and rolls back when it rejects. */
export type RunTransaction = <T>(
  isolation: IsolationLevel | undefined,
  work: (manager: EntityManager) => Promise<T>,
) => Promise<T>;
