import pg from 'pg';
import type { DataSource } from 'typeorm';
import { SERVICE } from '../../kernel/service.js';
import { seconds } from '../../kernel/clock/duration.js';
import { StartupError } from '../../kernel/errors/common.errors.js';
import { connectionOptions } from '../pool/connection-options.js';
import { loadMigrations, type MigrationState, migrationState } from './migration-state.js';
import { throwConnectionError } from '../database-unavailable.js';

/** The id of the lock. */
const LOCK = 7_305_310_417_042n;
const CONNECT = seconds(5);

/**
 * Runs the pending migrations under an advisory lock: of two processes the second waits, and finds none pending. PostgreSQL
 * frees the lock when its connection ends.
 * @param begin called with the names of the pending migrations, if any
 * @returns the names of the migrations that it ran
 * @throws StartupError when the connection fails
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

/** Runs nothing. @throws StartupError when the connection fails */
export async function inspectMigrations(url: string): Promise<MigrationState> {
  const client = new pg.Client({
    connectionString: url,
    application_name: SERVICE.prefix,
    connectionTimeoutMillis: CONNECT,
  });
  client.on('error', () => undefined); // a lost connection fails the query
  await client.connect().catch(throwConnectionError);
  return migrationState(async (sql) => (await client.query<object>(sql)).rows).finally(() => client.end());
}

/**
 * Reverts the newest migration.
 * @returns its name, or undefined when none is applied
 * @throws StartupError when the connection fails, or when a newer version has applied it
 */
export async function revertLast(url: string): Promise<string | undefined> {
  const { applied, newer } = await inspectMigrations(url);
  const last = applied.at(-1);
  if (last === undefined) return undefined;
  if (newer.includes(last))
    throw new StartupError(`${last} is unknown here: a newer version has applied it.`);
  await underLock(url, (dataSource) => dataSource.undoLastMigration({ transaction: 'each' }));
  return last;
}

async function underLock<T>(url: string, work: (dataSource: DataSource) => Promise<T>): Promise<T> {
  const dataSource = await connect(url);
  const lock = dataSource.createQueryRunner();
  try {
    await lock.query(`SELECT pg_advisory_lock(${LOCK})`);
    return await work(dataSource);
  } finally {
    await lock.release(); // back to the pool, whose end frees the lock
    await dataSource.destroy();
  }
}

/** Separate connections without timeouts: a migration, or waiting for another process, may take long. */
async function connect(url: string): Promise<DataSource> {
  const { DataSource } = await import('typeorm'); // loaded only when a migration is pending
  const dataSource = new DataSource({
    ...connectionOptions(url),
    poolSize: 2,
    extra: {},
    connectTimeoutMS: CONNECT,
    migrations: await loadMigrations(),
  });
  return dataSource.initialize().catch(throwConnectionError);
}
