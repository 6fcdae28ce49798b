import { createHmac } from 'node:crypto';
import pg from 'pg';
import { DatabaseTooOld } from './embedded-postgres.error.js';
import { errorCodeOf } from '../../kernel/errors/error-code.js';
import { service } from '../../kernel/config/service.js';

export const superuser = (): string => service().prefix;
/**
 * Owns the databases. The service connects as this role, so that a statement of it cannot run programs or
 * read files.
 */
const owner = (): string => `${service().prefix}_owner`;
/**
 * Only this launcher uses this database, so its advisory locks cannot clash with others: they are per
 * database.
 */
const MAINTENANCE_DATABASE = 'postgres';
const CONNECT_TIMEOUT_MS = 5_000;

export interface ServerAddress {
  port: number;
  password: string;
}

/** Identifies the process that holds the data folder in `pg_stat_activity`. */
export function applicationName(): string {
  return `${service().program} pid ${process.pid}`;
}

export const superuserUrl = ({ port, password }: ServerAddress, database: string): string =>
  urlOf(superuser(), password, port, database);

export const ownerUrl = ({ port, password }: ServerAddress, database: string): string =>
  urlOf(owner(), ownerPassword(password), port, database);

/** Derived, so that one password is stored; it does not reveal the superuser's. */
const ownerPassword = (password: string): string =>
  createHmac('sha256', password).update(owner()).digest('base64url');

/**
 * PGSSLMODE and PGOPTIONS in the environment are meant for another server; `pg` would take an empty option
 * for an absent one.
 */
const urlOf = (user: string, password: string, port: number, database: string): string =>
  `postgres://${user}:${password}@127.0.0.1:${port}/${encodeURIComponent(database)}?sslmode=disable&options=%20`;

export async function connect(address: ServerAddress, database = MAINTENANCE_DATABASE): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: superuserUrl(address, database),
    application_name: applicationName(),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  // Idle connections emit an error when the server stops. The next query fails with the same error.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/**
 * Creates the database and its owner unless they exist.
 * @throws DatabaseTooOld if the superuser owns the database, as in versions before 1.3
 */
export async function ensureDatabase(
  client: pg.Client,
  address: ServerAddress,
  database: string,
): Promise<void> {
  const { rows } = await client.query<{ role: boolean; owner: string | null }>(
    `SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1) AS role,
            (SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = $2) AS owner`,
    [owner(), database],
  );
  const found = rows[0];
  if (!found?.role) {
    const password = client.escapeLiteral(ownerPassword(address.password));
    await unlessExists(client.query(`CREATE ROLE ${owner()} LOGIN PASSWORD ${password}`));
  }
  if (found?.owner === superuser()) throw new DatabaseTooOld();
  if (found?.owner == null)
    await unlessExists(client.query(`CREATE DATABASE ${client.escapeIdentifier(database)} OWNER ${owner()}`));
}

/** Another process may create it at the same time. */
async function unlessExists(creation: Promise<unknown>): Promise<void> {
  await creation.catch((error: unknown) => {
    // duplicate_database, duplicate_object, or unique_violation
    if (!['42P04', '42710', '23505'].includes(errorCodeOf(error))) throw error;
  });
}
