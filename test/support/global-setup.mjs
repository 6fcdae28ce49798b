import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
// The built code: Jest does not transform this file's imports.
import { startEmbeddedPostgres } from '../../dist/src/database/embedded/embedded-postgres.js';
import { migrate } from '../../dist/src/database/migrate.js';

/** One real PostgreSQL for the whole run, with a migrated database that every suite gets a copy of. */
export default async function globalSetup() {
  const folder = await mkdtemp(join(tmpdir(), 'petstore-test-'));
  process.env.PETSTORE_TEST_LOGS = join(folder, 'logs');
  await mkdir(process.env.PETSTORE_TEST_LOGS);
  const settings = {
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    max_connections: '100',
  };
  const server = await startEmbeddedPostgres(folder, { settings });
  globalThis.petstoreTestServer = { server, folder };
  process.env.PETSTORE_TEST_SERVER = server.url;
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await client.query('CREATE DATABASE petstore_template');
  await client.end();
  await migrate(Object.assign(new URL(server.url), { pathname: '/petstore_template' }).href);
}
