import type { DataSource, EntityManager } from 'typeorm';
import type { ServiceClient } from './pool/service-client.js';

/**
 * Runs a transaction whose statements may take longer than 5 s.
 * @param timeout milliseconds for each statement, and between two statements
 */
export function withStatementTimeout<T>(
  dataSource: DataSource,
  timeout: number,
  work: (manager: EntityManager) => Promise<T>,
): Promise<T> {
  return dataSource.transaction(async (manager) => {
    const client = (await manager.queryRunner?.connect()) as ServiceClient;
    await client.limitStatements(timeout);
    return work(manager);
  });
}
