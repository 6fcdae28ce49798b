import { access, constants, readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { loadBinaries } from '../../database/embedded/binaries.js';
import { urlOf } from '../../database/embedded/connection.js';
import { readPassword } from '../../database/embedded/credentials.js';
import { codeOf, EmbeddedPostgresError } from '../../database/embedded/embedded-postgres.error.js';
import { fail, type Finding, ok, reasonOf } from './finding.js';
import { checkMigrations } from './migrations.check.js';
import { askPostgres } from './postgres.js';

/** The embedded PostgreSQL and its folder, neither of which is created, started or joined for it. */
export async function checkDataFolder(dataDir: string): Promise<Finding[]> {
  const path = resolve(dataDir);
  try {
    await loadBinaries();
    return await look(path);
  } catch (error) {
    if (error instanceof EmbeddedPostgresError) return [fail('database', error.message)];
    const advice = 'Set PETSTORE_DATA_DIR to a folder of yours, or DATABASE_URL to a PostgreSQL server.';
    return [fail('database', `the data folder ${path} cannot be used: ${reasonOf(error)}`, advice)];
  }
}

async function look(path: string): Promise<Finding[]> {
  const cluster = join(path, 'postgres');
  if (!(await isFolder(path))) {
    await checkCanBeMade(path);
    return [ok('database', `embedded; the first start creates ${path}`)];
  }
  await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
  if (!(await isFolder(cluster))) return [ok('database', `embedded; the first start fills ${path}`)];
  const version = (await readFile(join(cluster, 'PG_VERSION'), 'utf8')).trim();
  const running = await askRunning(cluster, await readPassword(join(path, 'postgres.json')));
  if (running === undefined)
    return [ok('database', `embedded PostgreSQL ${version} in ${path}, not running`)];
  return [
    ok('database', `embedded PostgreSQL ${running.version} in ${path}, running on port ${running.port}`),
    checkMigrations(running.migrations, 'The next start of the service applies them.'),
  ];
}

/** Undefined when no server runs. One that was killed leaves its `postmaster.pid` behind; line 4 is the port. */
async function askRunning(cluster: string, password: string) {
  try {
    const lines = (await readFile(join(cluster, 'postmaster.pid'), 'utf8')).split('\n');
    const port = Number(lines[3]);
    return { port, ...(await askPostgres(urlOf({ port, password }, 'petstore'))) };
  } catch (error) {
    if (['ENOENT', 'ECONNREFUSED'].includes(codeOf(error) ?? '')) return undefined;
    throw error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    if ((await stat(path)).isDirectory()) return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
  throw new Error('it is no folder');
}

/** The nearest folder above that is there has to let a new one in. */
async function checkCanBeMade(path: string): Promise<void> {
  const above = dirname(path);
  if (await isFolder(above)) await access(above, constants.W_OK | constants.X_OK);
  else await checkCanBeMade(above);
}
