import type { DataSource, EntityManager } from 'typeorm';
import type { JoinedClient } from './pool/joined-client.js';
import { QUERY_TIMEOUT, type ServiceClient } from './pool/service-client.js';

/** PostgreSQL's limits: for a statement, and for the time between two of them. */
const SETTINGS = ['statement_timeout', 'idle_in_transaction_session_timeout'];
/** Time for PostgreSQL to report its own timeout. */
const MARGIN = 375; // milliseconds

/**
 * A transaction in which a statement may take longer than 1.25 s.
 * @param timeout for each statement, in milliseconds
 */
export function withStatementTimeout<T>(
  dataSource: DataSource,
  timeout: number,
  work: (manager: EntityManager) => Promise<T>,
): Promise<T> {
  return dataSource.transaction(async (manager) => {
    const client = (await manager.queryRunner?.connect()) as ServiceClient | JoinedClient;
    const before = await manager.query<{ name: string; setting: string }[]>(
      'SELECT name, setting FROM pg_settings WHERE name = ANY ($1)',
      [SETTINGS],
    );
    try {
      for (const name of SETTINGS) await setLocally(manager, name, timeout);
      client.queryTimeout = timeout + MARGIN;
      return await work(manager);
    } finally {
      client.queryTimeout = QUERY_TIMEOUT;
      // A failed transaction loses its settings; one that continues needs the old ones.
      for (const { name, setting } of before) await setLocally(manager, name, setting).catch(() => undefined);
    }
  });
}

/** Until the transaction ends. */
async function setLocally(manager: EntityManager, name: string, value: string | number): Promise<void> {
  await manager.query('SELECT set_config($1, $2, true)', [name, String(value)]);
}
