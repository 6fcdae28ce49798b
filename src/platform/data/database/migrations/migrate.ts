import type { DataSource } from 'typeorm';
import { service } from '../../../kernel/config/service.js';
import { seconds } from '../../../kernel/clock/duration.js';
import { StartupError } from '../../../kernel/config/startup-error.js';
import { connectionOptions } from '../pool/connection-options.js';
import {
  isInUse,
  type Migration,
  type MigrationState,
  migrationState,
  requireOwnKeys,
} from './migration-state.js';
import { migrating, withConnection } from '../connect-once.js';
import { isDatabaseUnavailable, throwConnectionError } from '../database-unavailable.js';
import { NOTICE_LOST_SERVER, watchClient } from '../pool/lost-connections.js';
import type { PostgresClient } from '../pool/postgres-client.js';
import { ServiceClient } from '../pool/service-client.js';
import { poolOf } from '../pool/service-pool.js';
import { errorCodeOf } from '../../../kernel/errors/error-code.js';
import { type Say, takeLock } from './migration-lock.js';
import { endLimits, limitLocks, untilLocked } from './migration-session.js';
import { requireSession } from '../sessions.js';
import { anotherProgram, readRights, requireUse, whyNotMigrate } from './rights.js';

const CONNECT = seconds(5);
/** SQLSTATE of a missing right, and of a table, function or type that another program has made. */
const OF_THE_DATABASE = ['42501', '42P07', '42723', '42710'];
/**
 * SQLSTATE of what PostgreSQL has only with ICU or with an extension: collations that fold names, operators
 * of an index.
 */
const UNDEFINED_OBJECT = '42704';

const warn: Say = (line) => {
  process.stderr.write(`${service().prefix}: ${line}\n`);
};

/**
 * Runs the pending migrations under an advisory lock. If several processes start together, one migrates and
 * the rest wait. PostgreSQL releases the lock when its connection ends.
 * @param known the migrations of this version, in order
 * @param begin called with the names of the pending migrations, if any
 * @param say called at once and then every 10 s while it waits, with a sentence that names the process it
 *   waits for
 * @returns the names of the migrations that this process ran
 * @throws StartupError if the connection fails, also in the middle of a migration
 */
export async function migrate(
  url: string,
  known: readonly Migration[],
  begin: (pending: readonly string[]) => void = () => undefined,
  say: Say = warn,
): Promise<string[]> {
  const { pending, obstacle } = await inspectMigrations(url, known);
  if (pending.length === 0) return [];
  if (obstacle !== undefined) throw new StartupError(obstacle);
  begin(pending);
  return underLock(url, known, say, async (dataSource) => {
    const query = (sql: string) => dataSource.query<object[]>(sql);
    const applied = async () => (await migrationState(query, [])).applied;
    const before = await applied(); // another process may have run some meanwhile
    if (before.length > 0) await requireOwnKeys(query);
    await untilLocked(dataSource, say, () => dataSource.runMigrations({ transaction: 'each' }));
    return (await applied()).filter((name) => !before.includes(name));
  });
}

export interface Inspected extends MigrationState {
  /** Why the role of this connection could not apply what is pending, if so. */
  readonly obstacle: string | undefined;
}

/**
 * Compares the migrations without running any.
 * @throws StartupError if the connection fails, the database cannot store every text, the role may not use
 *   the tables, or they are another program's, another service's or of a version that is too old
 */
export async function inspectMigrations(url: string, known: readonly Migration[]): Promise<Inspected> {
  return withConnection(url, async (client) => {
    await requireUtf8(client);
    const rights = await readRights(client);
    if (rights.owner !== null) requireUse(rights);
    const query = queryOf(client);
    const state = await migrationState(
      query,
      known.map(({ name }) => name),
    );
    if (state.applied.length > 0 && state.applied.length === state.newer.length)
      throw anotherProgram(rights.schema);
    const lacked = known.find(
      ({ name, upgradesFrom }) => upgradesFrom !== undefined && state.pending.includes(name),
    );
    // While some are pending, another process may run one that locks the keys: migrate() asks when none does.
    if (state.applied.length > 0 && (state.pending.length === 0 || lacked)) await requireOwnKeys(query);
    if (state.applied.length > 0 && lacked !== undefined && (await isInUse(query)))
      throw new StartupError(
        `The database is of a version before ${lacked.upgradesFrom}, which this version does not upgrade.` +
          ` Start ${lacked.upgradesFrom} with it once.`,
      );
    const obstacle = state.pending.length > 0 ? whyNotMigrate(rights) : undefined;
    return { ...state, obstacle };
  });
}

const queryOf = (client: PostgresClient) => async (sql: string) => (await client.query<object>(sql)).rows;

/**
 * Counts the connections of the service's processes, those of other commands included.
 * @throws StartupError
 */
export function countConnections(url: string): Promise<number> {
  const sql = `SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND starts_with(application_name, $1) AND application_name <> $2`;
  return withConnection(
    url,
    async (client) => (await client.query(sql, [service().prefix, migrating()])).rowCount ?? 0,
  );
}

/** In another encoding, a name that it lacks would be a 500, and SQL_ASCII does not know what a letter is. */
async function requireUtf8(client: PostgresClient): Promise<void> {
  const { rows } = await client.query<{ server_encoding: string }>('SHOW server_encoding');
  const encoding = rows[0]?.server_encoding;
  if (encoding === 'UTF8') return;
  throw new StartupError(
    `DATABASE_URL: the encoding of the database is ${encoding}, not UTF8.` +
      ` Create one with: CREATE DATABASE ${service().prefix} ENCODING 'UTF8' LOCALE 'C.UTF-8' TEMPLATE template0`,
  );
}

/**
 * The name of the newest migration, or undefined if none is applied.
 * @throws StartupError if the connection fails, or if a newer version of the service has applied it
 */
export async function lastMigration(url: string, known: readonly Migration[]): Promise<string | undefined> {
  const { applied, newer } = await inspectMigrations(url, known);
  const last = applied.at(-1);
  if (last !== undefined && newer.includes(last))
    throw new StartupError(`${last} is unknown here: a newer version has applied it.`);
  return last;
}

/**
 * Reverts the newest migration.
 * @param confirmed the one that somebody has been asked about, if they have
 * @returns its name, or undefined if none is applied
 * @throws StartupError as `lastMigration()`, if another process migrates meanwhile, or if a database in use
 *   would be of a version that is too old
 */
export async function revertLast(
  url: string,
  known: readonly Migration[],
  confirmed?: string,
): Promise<string | undefined> {
  const last = confirmed ?? (await lastMigration(url, known));
  if (last === undefined) return undefined;
  const oldest = known.find(({ name }) => name === last)?.upgradesFrom;
  if (oldest !== undefined && (await withConnection(url, (client) => isInUse(queryOf(client)))))
    throw new StartupError(
      `${last} is of ${oldest}, from which this version upgrades. Revert it with ${oldest}.`,
    );
  await underLock(url, known, warn, async (dataSource) => {
    if ((await lastMigration(url, known)) !== last)
      throw new StartupError(
        `${last} is no longer the newest migration: another process has reverted or applied one.`,
      );
    // TypeORM asks the migration only for `up`
    const alone = dataSource.migrations.some(
      (migration) => migration.constructor.name === last && migration.transaction === false,
    );
    await untilLocked(dataSource, warn, () =>
      dataSource.undoLastMigration({ transaction: alone ? 'none' : 'each' }),
    );
  });
  return last;
}

async function underLock<T>(
  url: string,
  known: readonly Migration[],
  say: Say,
  work: (dataSource: DataSource) => Promise<T>,
): Promise<T> {
  await requireSession(url);
  const dataSource = await connect(url, known);
  const session = dataSource.createQueryRunner();
  try {
    endWith((await session.connect()) as ServiceClient, dataSource);
    await takeLock((sql) => session.query(sql) as Promise<object[]>, say);
    return await work(dataSource);
  } catch (error) {
    if (OF_THE_DATABASE.includes(errorCodeOf(error)))
      throw new StartupError(
        `DATABASE_URL: a migration may not change the database: ${(error as Error).message}. Give the service a database of its own, or its role the right.`,
        { cause: error },
      );
    if (errorCodeOf(error) === UNDEFINED_OBJECT) {
      const { message } = error as Error;
      const advice = message.startsWith('collation')
        ? 'The packages and images of PostgreSQL are built with ICU.'
        : 'If it belongs to an extension, such as btree_gist, let the migration create that first.';
      throw new StartupError(`DATABASE_URL: PostgreSQL lacks what a migration needs: ${message}. ${advice}`, {
        cause: error,
      });
    }
    if (!isDatabaseUnavailable(error)) throw error;
    throw new StartupError(
      `PostgreSQL failed in the middle of a migration: ${String(error)}. Finished migrations are kept; run it again for the others.`,
    );
  } finally {
    await session.release(); // only to the pool; destroy() closes the connection, which releases the lock
    await dataSource.destroy();
  }
}

/**
 * Ends the other connections with that of the lock, without which nothing may go on. It idles, so a lost
 * network is noticed there first.
 */
function endWith(lock: ServiceClient, dataSource: DataSource): void {
  poolOf(dataSource).on('connect', (client) => {
    const end = () => {
      (client as PostgresClient as ServiceClient).destroy();
    };
    if (lock.isLost) end();
    else lock.once('end', end);
  });
}

/** Separate connections without time limits: a migration, or the wait for another process, may take long. */
async function connect(url: string, known: readonly Migration[]): Promise<DataSource> {
  const { DataSource } = await import('typeorm'); // loaded only when a migration is pending
  const dataSource = new DataSource({
    ...connectionOptions(url),
    applicationName: migrating(),
    poolSize: 2,
    extra: {
      ...NOTICE_LOST_SERVER,
      Client: ServiceClient,
      onConnect: async (client: ServiceClient) => {
        client.queryTimeout = Infinity;
        await watchClient(client); // the statements of a killed process end with it
        await endLimits(client);
      },
    },
    logger: 'debug', // otherwise TypeORM prints each failed attempt to stdout
    connectTimeoutMS: CONNECT,
    migrations: [...known],
  });
  await dataSource.initialize().catch(throwConnectionError);
  limitLocks(dataSource);
  return dataSource;
}
