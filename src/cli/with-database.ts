import { DataSource, type DataSourceOptions } from 'typeorm';
import type { DatabaseConfig } from '../database/database.config.js';
import { throwConnectionError } from '../database/database-unavailable.js';
import { openForCommand } from '../database/open-database.js';
import { connectionOptions } from '../database/pool/connection-options.js';

/** Runs work on the database. The service need not be running. @throws StartupError */
export async function withDatabase<T>(
  config: DatabaseConfig,
  work: (dataSource: DataSource) => Promise<T>,
  entities: DataSourceOptions['entities'] = [],
): Promise<T> {
  let close = () => Promise.resolve();
  try {
    const { url } = await openForCommand(config, (closeDatabase) => (close = closeDatabase));
    const dataSource = new DataSource({ ...connectionOptions(url), entities });
    await dataSource.initialize().catch(throwConnectionError);
    return await work(dataSource).finally(() => dataSource.destroy());
  } finally {
    await close();
  }
}
