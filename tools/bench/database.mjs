import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { postmasterOf } from './cpu.mjs';

const launcher = new URL('../../dist/embedded-postgres/embedded-postgres.js', import.meta.url);

/**
 * Reduces noise: no background vacuum, no fsync for `create`, no checkpoints during a large seed. Allows connections of
 * many replicas.
 */
const settings = {
  autovacuum: 'off',
  synchronous_commit: 'off',
  max_wal_size: '8GB',
  max_connections: '300',
};

/**
 * Opens a database for the benchmark, in its own cluster or in an existing one (BENCH_DATABASE_URL). Returns its URL,
 * the postmaster's pid (undefined on another machine), a function that creates a second database, and one that removes
 * everything.
 */
export async function openDatabase(folder) {
  const cluster = process.env.BENCH_DATABASE_URL
    ? { url: process.env.BENCH_DATABASE_URL, stop: () => {} }
    : await startCluster(folder);
  const made = [];
  const create = async () => {
    const name = `petstore_bench_${randomBytes(4).toString('hex')}`;
    await sql(cluster.url, `CREATE DATABASE ${name}`);
    made.push(name);
    const url = new URL(cluster.url);
    url.pathname = name;
    return url.href;
  };
  const remove = async () => {
    try {
      for (const name of made) await sql(cluster.url, `DROP DATABASE ${name} WITH (FORCE)`);
    } finally {
      await cluster.stop();
    }
  };
  try {
    const url = await create();
    return { url, postmaster: await findPostmaster(url), create, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Runs one or more statements over a separate connection. Returns the rows if there is only one. */
export const sql = (url, text, values) =>
  withClient(url, async (client) => (await client.query(text, values)).rows);

/** Transactions committed in a database, as reported by its backends once a second. */
export async function transactions(url) {
  const [{ count }] = await sql(
    url,
    'SELECT xact_commit AS count FROM pg_stat_database WHERE datname = current_database()',
  );
  return Number(count);
}

/** Must be read while connected, because the backend ends with the connection. */
const findPostmaster = (url) =>
  withClient(url, async (client) => {
    const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
    return postmasterOf(rows[0].pid);
  });

export async function withClient(url, task) {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await task(client);
  } finally {
    await client.end();
  }
}

/** Uses the built launcher of the service. */
async function startCluster(folder) {
  if (!existsSync(launcher))
    throw new Error('the embedded PostgreSQL is not built: run "npm run build" first');
  const { openEmbeddedPostgres } = await import(launcher);
  return openEmbeddedPostgres(join(folder, 'database'), { as: 'owner', settings });
}
