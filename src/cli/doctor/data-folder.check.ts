import { resolve } from 'node:path';
import { codeOf, EmbeddedPostgresError } from '../../../embedded-postgres/embedded-postgres.error.js';
import { type DataFolderState, inspectDataFolder } from '../../../embedded-postgres/inspect-data-folder.js';
import { fail, type Finding, ok, reasonOf } from './finding.js';
import { checkMigrations } from './migrations.check.js';
import { askPostgres } from './postgres.js';

/** The embedded PostgreSQL and its folder, neither of which is created, started or joined for it. */
export async function checkDataFolder(dataDir: string): Promise<Finding[]> {
  try {
    return await findings(await inspectDataFolder(dataDir));
  } catch (error) {
    if (error instanceof EmbeddedPostgresError) return [fail('database', error.message)];
    const advice = 'Set PETSTORE_DATA_DIR to a folder of yours, or DATABASE_URL to a PostgreSQL server.';
    const path = resolve(dataDir);
    return [fail('database', `the data folder ${path} cannot be used: ${reasonOf(error)}`, advice)];
  }
}

async function findings({ path, exists, version, running }: DataFolderState): Promise<Finding[]> {
  if (!exists) return [ok('database', `embedded; the first start creates ${path}`)];
  if (version === undefined) return [ok('database', `embedded; the first start fills ${path}`)];
  const server = running && (await askPostgres(running.url).catch(unlessRefused));
  if (!server) return [ok('database', `embedded PostgreSQL ${version} in ${path}, not running`)];
  return [
    ok('database', `embedded PostgreSQL ${server.version} in ${path}, running on port ${running.port}`),
    checkMigrations(server.migrations, 'The next start of the service applies them.'),
  ];
}

/** The process id of a server that was killed may belong to a process that nobody has waited for. */
function unlessRefused(error: unknown): undefined {
  if (codeOf(error) !== 'ECONNREFUSED') throw error;
}
