import type { DataSource, EntityManager } from 'typeorm';
import type { JoinedClient } from './pool/joined-client.js';
import { QUERY_TIMEOUT, type ServiceClient } from './pool/service-client.js';

/** Time for PostgreSQL to report its own timeout. */
const MARGIN = 375; // milliseconds

/**
 * A transaction in which a statement may take longer than 1.25 s.
 * @param timeout for each statement, and for the time between two of them, in milliseconds
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
      [String(timeout)], // until the transaction ends
    );
    client.queryTimeout = timeout + MARGIN;
    try {
      return await work(manager);
    } finally {
      client.queryTimeout = QUERY_TIMEOUT;
    }
  });
}
