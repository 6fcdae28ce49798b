import { existsSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { postmasterOf } from './cpu.mjs';

const launcher = new URL(
  '../../dist/src/platform/data/embedded-postgres/embedded-postgres.js',
  import.meta.url,
);

/** Reduces noise: no background vacuum, no fsync for `create`, no checkpoints during a large seed. */
const settings = {
  autovacuum: 'off',
  synchronous_commit: 'off',
  max_wal_size: '8GB',
  max_connections: '200', // of all servers at the same time
};

/** Starts a PostgreSQL for the benchmark. Returns its URL, the postmaster's pid, and a function that removes it. */
export async function openDatabase(folder) {
  if (!existsSync(launcher))
    throw new Error('the embedded PostgreSQL is not built: run "npm run build" first');
  await import('../../dist/src/service.js'); // names the service
  const { openEmbeddedPostgres } = await import(launcher);
  const { url, stop } = await openEmbeddedPostgres(join(folder, 'database'), { lock: 'exclusive', settings });
  // Must be read while connected, because the backend ends with the connection.
  const postmaster = await withClient(url, async (client) => {
    const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
    return postmasterOf(rows[0].pid);
  });
  return { url, postmaster, remove: stop };
}

/** Runs one or more statements over a separate connection. Returns the rows if there is only one. */
export const sql = (url, text, values) =>
  withClient(url, async (client) => (await client.query(text, values)).rows);

export async function withClient(url, task) {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await task(client);
  } finally {
    await client.end();
  }
}
