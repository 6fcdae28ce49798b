import pg from 'pg';
import type { DataSource } from 'typeorm';
import { seconds } from '../../kernel/clock/duration.js';
import { connectionOptions } from '../pool/connection-options.js';
import { type MigrationState, migrationState } from './migration-state.js';
import { loadMigrations } from './load-migrations.js';
import { unreachable } from '../unreachable.js';

/** Any number, but the same in every process: it names the lock. */
const LOCK = 7_305_310_417_042n;
const CONNECT = seconds(5);

/**
 * Brings the tables up to date. Where they are not, an advisory lock lets one process at a time do it: of two that
 * start together the second waits and finds nothing left to do. PostgreSQL frees the lock when its connection ends,
 * however it ends.
 * @param begin gets the names of what is pending, where anything is
 * @returns the names of the migrations that it ran.
 * @throws StartupError when the database cannot be reached or does not let the service in.
 */
export async function migrate(
  url: string,
  begin: (pending: readonly string[]) => void = () => undefined,
): Promise<string[]> {
  const { pending } = await inspectMigrations(url);
  if (pending.length === 0) return [];
  begin(pending);
  return underLock(url, async (dataSource) => {
    const ran = await dataSource.runMigrations({ transaction: 'each' });
    return ran.map(({ name }) => name);
  });
}

/** What has run and what has not, without running anything. @throws StartupError as above. */
export async function inspectMigrations(url: string): Promise<MigrationState> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'petstore',
    connectionTimeoutMillis: CONNECT,
  });
  client.on('error', () => undefined); // a connection that is lost fails the query
  await client.connect().catch(unreachable);
  return migrationState(async (sql) => (await client.query<object>(sql)).rows).finally(() => client.end());
}

/** Takes the newest migration back. */
export function revertLast(url: string): Promise<void> {
  return underLock(url, (dataSource) => dataSource.undoLastMigration({ transaction: 'each' }));
}

async function underLock<T>(url: string, work: (dataSource: DataSource) => Promise<T>): Promise<T> {
  const dataSource = await connect(url);
  const lock = dataSource.createQueryRunner();
  try {
    await lock.query(`SELECT pg_advisory_lock(${LOCK})`);
    return await work(dataSource);
  } finally {
    await lock.release(); // back to the pool, which is closed with the lock in it
    await dataSource.destroy();
  }
}

/** Connections of its own, without time-outs: a migration, or the wait for another process's, takes what it takes. */
async function connect(url: string): Promise<DataSource> {
  const { DataSource } = await import('typeorm'); // mostly nothing is pending, and a look needs none of it
  const dataSource = new DataSource({
    ...connectionOptions(url),
    poolSize: 2,
    extra: {},
    connectTimeoutMS: CONNECT,
    migrations: await loadMigrations(),
  });
  return dataSource.initialize().catch(unreachable);
}
