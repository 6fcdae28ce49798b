import { resolve } from 'node:path';
import { codeOf, EmbeddedPostgresError } from '../../database/embedded-postgres/embedded-postgres.error.js';
import {
  type DataFolderState,
  inspectDataFolder,
} from '../../database/embedded-postgres/inspect-data-folder.js';
import { fail, type CheckResult, ok, reasonOf } from './check-result.js';
import { inspectPostgres, checkMigrations } from './database.check.js';

/** Checks the embedded PostgreSQL and its folder. Does not create or start them. */
export async function checkDataFolder(dataDir: string): Promise<CheckResult[]> {
  try {
    return await resultsOf(await inspectDataFolder(dataDir));
  } catch (error) {
    if (error instanceof EmbeddedPostgresError) return [fail('database', error.message)];
    const advice = 'Set PETSTORE_DATA_DIR to a writable folder, or DATABASE_URL to a PostgreSQL server.';
    const path = resolve(dataDir);
    return [fail('database', `the data folder ${path} cannot be used: ${reasonOf(error)}`, advice)];
  }
}

async function resultsOf({ path, exists, version, running }: DataFolderState): Promise<CheckResult[]> {
  if (!exists) return [ok('database', `embedded; the first start creates ${path}`)];
  if (version === undefined) return [ok('database', `embedded; the first start fills ${path}`)];
  const server = running && (await inspectPostgres(running.url).catch(ignoreRefused));
  if (!server) return [ok('database', `embedded PostgreSQL ${version} in ${path}, not running`)];
  return [
    ok('database', `embedded PostgreSQL ${server.version} in ${path}, running on port ${running.port}`),
    checkMigrations(server.migrations, 'The next start of the service applies them.'),
  ];
}

/** No PostgreSQL listens: after a crash, its process id may belong to another process. */
function ignoreRefused(error: unknown): undefined {
  if (codeOf(error) !== 'ECONNREFUSED') throw error;
}
