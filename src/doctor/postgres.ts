import { performance } from 'node:perf_hooks';
import pg from 'pg';
import { seconds } from '../clock/duration.js';

export interface PostgresReport {
  readonly version: string;
  /** Names of the migrations that have run, in their order. */
  readonly applied: readonly string[];
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
    return { version: await versionOf(client), applied: await appliedIn(client), roundTrip };
  } finally {
    await client.end();
  }
}

async function versionOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
  return rows[0]?.server_version.split(' ')[0] ?? 'unknown';
}

/** The table is TypeORM's, made by the first migration. */
async function appliedIn(client: pg.Client): Promise<string[]> {
  const there = await client.query("SELECT WHERE to_regclass('migrations') IS NOT NULL");
  if (there.rowCount === 0) return [];
  const { rows } = await client.query<{ name: string }>('SELECT name FROM migrations ORDER BY id');
  return rows.map(({ name }) => name);
}
