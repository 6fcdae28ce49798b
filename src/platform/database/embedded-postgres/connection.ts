import pg from 'pg';
import { codeOf } from './embedded-postgres.error.js';

export const SUPERUSER = 'petstore';
/** Only this launcher uses this database, so its advisory locks cannot clash with others: they are per database. */
const MAINTENANCE_DATABASE = 'postgres';
const CONNECT_TIMEOUT_MS = 5_000;

export interface Address {
  port: number;
  password: string;
}

/** Identifies the process that holds the data folder in `pg_stat_activity`. */
export function applicationName(): string {
  return `petstore pid ${process.pid}`;
}

/** Sets sslmode explicitly, because PGSSLMODE in the environment could require TLS. */
export function urlOf({ port, password }: Address, database: string): string {
  return `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/${encodeURIComponent(database)}?sslmode=disable`;
}

export async function connect(address: Address): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: urlOf(address, MAINTENANCE_DATABASE),
    application_name: applicationName(),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  // Idle connections emit an error when the server stops. The next query fails with the same error.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

export async function ensureDatabase(client: pg.Client, database: string): Promise<void> {
  const found = await client.query('SELECT FROM pg_database WHERE datname = $1', [database]);
  if (found.rowCount === 1) return;
  try {
    await client.query(`CREATE DATABASE ${client.escapeIdentifier(database)}`);
  } catch (error) {
    // duplicate_database, or unique_violation if another process creates it at the same time
    if (!['42P04', '23505'].includes(codeOf(error) ?? '')) throw error;
  }
}
