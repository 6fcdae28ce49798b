import pg from 'pg';
import { codeOf } from './embedded-postgres.error.js';

export const SUPERUSER = 'petstore';
/** Where the service listens and no client but this launcher has business: advisory locks are per database. */
const MAINTENANCE_DATABASE = 'postgres';
const CONNECT_TIMEOUT_MS = 5_000;

export interface Address {
  port: number;
  password: string;
}

/** Read by `pg_stat_activity`: tells who holds the data folder. */
export function applicationName(): string {
  return `petstore pid ${process.pid}`;
}

/** sslmode is spelled out, or PGSSLMODE in the environment would ask this server for TLS. */
export function urlOf({ port, password }: Address, database: string): string {
  return `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/${encodeURIComponent(database)}?sslmode=disable`;
}

export async function connect(address: Address): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: urlOf(address, MAINTENANCE_DATABASE),
    application_name: applicationName(),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  // A server that ends takes idle connections with it: whoever queries next gets the error, nobody else needs it.
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
    // duplicate_database, or unique_violation when another process creates it at the same instant
    if (!['42P04', '23505'].includes(codeOf(error) ?? '')) throw error;
  }
}
