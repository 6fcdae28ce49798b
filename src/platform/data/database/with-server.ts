import { Config } from '../../kernel/config/config.js';
import { requireDataFolder } from './command-database.js';
import { DatabaseConfig } from './database.config.js';
import { openUnmigrated } from './open-database.js';
import { requireSameDatabase } from './same-database.js';

/**
 * Uses the PostgreSQL of `DATABASE_URL` itself, past a pooler, or the embedded one, whatever migrations have run. Only a
 * start creates the embedded one: a forgotten `DATABASE_URL` must not make a second one.
 * @throws StartupError
 */
export async function withServer<T>(work: (url: string) => Promise<T>): Promise<T> {
  const config = new Config().read(DatabaseConfig);
  const { databaseUrl, directDatabaseUrl = databaseUrl } = config;
  if (databaseUrl !== undefined && directDatabaseUrl !== undefined) {
    await requireSameDatabase(databaseUrl, directDatabaseUrl);
    return work(directDatabaseUrl);
  }
  requireDataFolder(config);
  const database = await openUnmigrated(config.dataDir);
  return work(database.url).finally(() => database.stop());
}
