import type { DataSource, EntityManager } from 'typeorm';
import type { JoinedClient } from './pool/joined-client.js';
import type { ServiceClient } from './pool/service-client.js';
import { isInTransaction } from './pool/shared-transaction.js';

/** Extra time, so that PostgreSQL can report its own timeout. */
const MARGIN = 375; // milliseconds

/** Reads and sets the limits of the transaction. */
const LIMITS = `SELECT current_setting('statement_timeout') AS statement,
  current_setting('idle_in_transaction_session_timeout') AS idle`;
const SET_LIMITS = `SELECT set_config('statement_timeout', $1, true),
  set_config('idle_in_transaction_session_timeout', $2, true)`;

/**
 * Runs a transaction whose statements may take longer than 1.25 s.
 * @param timeout milliseconds for each statement, and between two statements
 */
export async function withStatementTimeout<T>(
  dataSource: DataSource,
  timeout: number,
  work: (manager: EntityManager) => Promise<T>,
): Promise<T> {
  const isShared = isInTransaction(dataSource);
  const [before] = isShared ? await dataSource.query<{ statement: string; idle: string }[]>(LIMITS) : [];
  const result = await dataSource.transaction(async (manager) => {
    const client = (await manager.queryRunner?.connect()) as ServiceClient | JoinedClient;
    await manager.query(SET_LIMITS, [String(timeout), String(timeout)]);
    const { queryTimeout } = client;
    client.queryTimeout = timeout + MARGIN;
    try {
      return await work(manager);
    } finally {
      client.queryTimeout = queryTimeout;
    }
  });
  // The limits belong to the shared transaction, whose next statements are not part of this work. A rollback restores them.
  if (before) await dataSource.query(SET_LIMITS, [before.statement, before.idle]);
  return result;
}
