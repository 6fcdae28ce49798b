import { spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
// The built code, because Jest does not transform this file's imports.
import { openEmbeddedPostgres } from '../../dist/src/platform/data/embedded-postgres/embedded-postgres.js';
import { copyDataFolder, migratedDataFolder } from './data-folder.mjs';
import { makeRunFolder } from './run-folder.mjs';

const COMPILE_CACHE = fileURLToPath(new URL('../../dist/compile-cache', import.meta.url));
const WATCHDOG = fileURLToPath(new URL('watchdog.mjs', import.meta.url));

/** Tests need no durability. */
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '128MB',
  max_connections: '100',
};

/** A run opens two thousand connections. Asking for the password as plain text halves what one costs its client. */
async function askForPlainPasswords(data) {
  const file = join(data, 'postgres/pg_hba.conf');
  await writeFile(file, (await readFile(file, 'utf8')).replaceAll('scram-sha-256', 'password'));
}

/** Reduces what a connection costs the server by a fifth. The password needs no protection against guessing. */
async function hashPasswordOnce(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('SET scram_iterations = 1');
  await client.query(`ALTER ROLE CURRENT_USER PASSWORD ${client.escapeLiteral(client.password)}`);
  await client.end();
}

/** Starts one real PostgreSQL for the whole run, with a migrated database that each suite gets a copy of. */
export default async function globalSetup() {
  const folder = await makeRunFolder();
  watch(folder);
  process.env.NODE_COMPILE_CACHE = COMPILE_CACHE; // V8's compile cache, for each worker and each process of the service
  process.env.PETSTORE_TEST_LOGS = join(folder, 'logs');
  await mkdir(process.env.PETSTORE_TEST_LOGS);
  process.env.PETSTORE_TEST_DATA = await migratedDataFolder();
  const data = join(folder, 'server');
  await copyDataFolder(process.env.PETSTORE_TEST_DATA, data);
  await askForPlainPasswords(data);
  const server = await openEmbeddedPostgres(data, { lock: 'exclusive', settings: SETTINGS });
  await hashPasswordOnce(server.superuserUrl);
  globalThis.petstoreTestServer = { server, folder };
  process.env.PETSTORE_TEST_SERVER = server.superuserUrl.replace('/petstore?', '/postgres?'); // the template must have no connections
}

/** Cleans up even after a run that was killed or crashed. */
function watch(folder) {
  const env = { PATH: process.env.PATH }; // without the folder variable, which identifies the run's other processes
  const watchdog = spawn(process.execPath, [WATCHDOG, folder], {
    env,
    cwd: '/',
    detached: true, // Ctrl-C must not reach it
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  watchdog.unref();
  watchdog.stdin.unref();
}
