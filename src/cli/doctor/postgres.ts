import { performance } from 'node:perf_hooks';
import pg from 'pg';
import { seconds } from '../../kernel/clock/duration.js';
import { type MigrationState, migrationState } from '../../database/migrations/migration-state.js';

export interface PostgresReport {
  readonly version: string;
  readonly migrations: MigrationState;
  /** Milliseconds. */
  readonly roundTrip: number;
}

/** Asks a database about itself, in a transaction that could not change it. */
export async function askPostgres(url: string): Promise<PostgresReport> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'petstore doctor',
    connectionTimeoutMillis: seconds(2),
    query_timeout: seconds(2),
  });
  client.on('error', () => undefined); // a connection that is lost fails the query
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
