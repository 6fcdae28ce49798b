import { DataSource } from 'typeorm';
import { joinDatabase } from '../database/open-database.js';
import { connectionOptions } from '../database/pool/connection-options.js';
import { throwConnectionError } from '../database/database-unavailable.js';
import { Config } from '../kernel/config/config.js';

/** Runs one piece of work on the database, beside a running service or without one. @throws StartupError */
export async function withDatabase<T>(work: (dataSource: DataSource) => Promise<T>): Promise<T> {
  const database = await joinDatabase(new Config());
  const dataSource = new DataSource(connectionOptions(database.url));
  try {
    await dataSource.initialize().catch(throwConnectionError);
    return await work(dataSource).finally(() => dataSource.destroy());
  } finally {
    await database.close();
  }
}
