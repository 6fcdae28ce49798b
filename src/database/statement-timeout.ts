import type { DataSource, EntityManager } from 'typeorm';
import type { JoinedClient } from './pool/joined-client.js';
import type { ServiceClient } from './pool/service-client.js';

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
    await client.limitStatements(timeout);
    return work(manager);
  });
}
