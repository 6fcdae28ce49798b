import { resolve } from 'node:path';
import { codeOf } from '../../database/embedded-postgres/embedded-postgres.error.js';
import { runningServer } from '../../database/embedded-postgres/running-server.js';
import { type CheckResult, fail, ok, reasonOf } from './check-result.js';
import { checkMigrations, inspectPostgres } from './database.check.js';

/** Checks the embedded PostgreSQL, if it runs. Does not create or start it. */
export async function checkDataFolder(dataDir: string): Promise<CheckResult[]> {
  const path = resolve(dataDir);
  try {
    const running = await runningServer(dataDir);
    const server = running && (await inspectPostgres(running.url).catch(ignoreRefused));
    if (!server) return [ok('database', `embedded PostgreSQL in ${path}, not running`)];
    return [
      ok('database', `embedded PostgreSQL ${server.version} in ${path}, running on port ${running.port}`),
      checkMigrations(server.migrations, 'The next start of the service applies them.'),
    ];
  } catch (error) {
    const advice = 'Set PETSTORE_DATA_DIR to a writable folder, or DATABASE_URL to a PostgreSQL server.';
    return [fail('database', `the data folder ${path} cannot be used: ${reasonOf(error)}`, advice)];
  }
}

/** No PostgreSQL listens: after a crash, its process id may belong to another process. */
function ignoreRefused(error: unknown): undefined {
  if (codeOf(error) !== 'ECONNREFUSED') throw error;
}
