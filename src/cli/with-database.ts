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
  const database = await openForCommand(config);
  const dataSource = new DataSource({ ...connectionOptions(database.url), entities });
  try {
    await dataSource.initialize().catch(throwConnectionError);
    return await work(dataSource).finally(() => dataSource.destroy());
  } finally {
    await database.close();
  }
}
