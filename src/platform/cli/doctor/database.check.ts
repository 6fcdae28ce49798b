import { performance } from 'node:perf_hooks';
import pg from 'pg';
import type { DatabaseConfig } from '../../database/database.config.js';
import { fail, type CheckResult, ok, reasonOf, warn, addressOf } from './check-result.js';
import { seconds } from '../../clock/duration.js';
import { type MigrationState, migrationState } from '../../database/migrations/migration-state.js';

/** Checks the database at `DATABASE_URL`. */
export async function checkDatabase(
  url: string,
  { migrateAtStart }: Pick<DatabaseConfig, 'migrateAtStart'>,
): Promise<CheckResult[]> {
  try {
    const { version, migrations, roundTrip } = await inspectPostgres(url);
    const found = `PostgreSQL ${version} at ${addressOf(url)}, round trip ${roundTrip.toFixed(1)} ms`;
    return [ok('database', found), checkMigrations(migrations, pendingAdvice(migrateAtStart))];
  } catch (error) {
    const advice = 'Check that the database runs and that DATABASE_URL is right.';
    return [fail('database', `no response from ${addressOf(url)}: ${reasonOf(error)}`, advice)];
  }
}

const pendingAdvice = (migrateAtStart: boolean): string =>
  migrateAtStart ? 'The next start of the service applies them.' : 'Run petstore migrate.';

interface PostgresState {
  readonly version: string;
  readonly migrations: MigrationState;
  /** Milliseconds. */
  readonly roundTrip: number;
}

/** Reads the state of a database in a read-only transaction. */
export async function inspectPostgres(url: string): Promise<PostgresState> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'petstore doctor',
    connectionTimeoutMillis: seconds(2),
    query_timeout: seconds(2),
  });
  client.on('error', () => undefined); // a lost connection fails the query
  await client.connect();
  try {
    const start = performance.now();
    await client.query('BEGIN READ ONLY');
    const roundTrip = performance.now() - start;
    const migrations = await migrationState(async (sql) => (await client.query<object>(sql)).rows);
    return { version: await versionOf(client), migrations, roundTrip };
  } finally {
    await client.end();
  }
}

async function versionOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
  return rows[0]?.server_version.split(' ')[0] ?? 'unknown';
}

export function checkMigrations({ applied, pending, newer }: MigrationState, advice: string): CheckResult {
  if (newer.length > 0) {
    return warn(
      'migrations',
      `from a newer version: ${newer.join(', ')}`,
      'This version may not match the tables. Run the newer version.',
    );
  }
  if (pending.length > 0) {
    const known = applied.length + pending.length;
    return warn('migrations', `${pending.length} of ${known} pending: ${pending.join(', ')}`, advice);
  }
  return ok('migrations', `all ${applied.length} applied`);
}
