import type { DataSource, EntityManager } from 'typeorm';
import type { JoinedClient } from './pool/joined-client.js';
import { QUERY_TIMEOUT, type ServiceClient } from './pool/service-client.js';

/** Extra time, so that PostgreSQL can report its own timeout. */
const MARGIN = 375; // milliseconds

/**
 * Runs a transaction whose statements may take longer than 1.25 s.
 * @param timeout milliseconds for each statement, and between two statements
 */
export function withStatementTimeout<T>(
  dataSource: DataSource,
  timeout: number,
  work: (manager: EntityManager) => Promise<T>,
): Promise<T> {
  return dataSource.transaction(async (manager) => {
    const client = (await manager.queryRunner?.connect()) as ServiceClient | JoinedClient;
    await manager.query(
      `SELECT set_config('statement_timeout', $1, true), set_config('idle_in_transaction_session_timeout', $1, true)`,
      [String(timeout)], // local to the transaction
    );
    client.queryTimeout = timeout + MARGIN;
    try {
      return await work(manager);
    } finally {
      client.queryTimeout = QUERY_TIMEOUT;
    }
  });
}
