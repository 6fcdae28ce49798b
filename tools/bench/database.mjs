import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { postmasterOf } from './cpu.mjs';

const launcher = new URL('../../dist/embedded-postgres/embedded-postgres.js', import.meta.url);

/** Less noise: no vacuum in the background, `create` waits for no disk, and a large seed for no checkpoint. Many replicas connect. */
const settings = {
  autovacuum: 'off',
  synchronous_commit: 'off',
  max_wal_size: '8GB',
  max_connections: '300',
};

/**
 * A database of the bench's own, in a cluster of its own or (BENCH_DATABASE_URL) in one that runs already.
 * Gives its URL, the postmaster's pid (undefined on another machine), how to make a second one beside it, and how to
 * remove it all.
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

/** Runs one or more statements over a connection of their own; gives the rows of the only one. */
export const sql = (url, text, values) =>
  withClient(url, async (client) => (await client.query(text, values)).rows);

/** Transactions that a database has committed, as far as its backends have told: they do so once a second. */
export async function transactions(url) {
  const [{ count }] = await sql(
    url,
    'SELECT xact_commit AS count FROM pg_stat_database WHERE datname = current_database()',
  );
  return Number(count);
}

/** Read while the connection lasts: its backend ends with it. */
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

/** The service's own launcher, as built. */
async function startCluster(folder) {
  if (!existsSync(launcher))
    throw new Error('the embedded PostgreSQL is not built: run "npm run build" first');
  const { openEmbeddedPostgres } = await import(launcher);
  return openEmbeddedPostgres(join(folder, 'database'), { as: 'owner', settings });
}
