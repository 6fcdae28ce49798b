import { createHmac } from 'node:crypto';
import pg from 'pg';
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

/** Derived, so that the file of an older version suffices; it does not reveal the superuser's. */
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
 * Creates the database and its owner unless they exist. A database of an older version, which the superuser
 * owns, changes its owner.
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
  if (found?.owner === owner()) return;
  const name = client.escapeIdentifier(database);
  if (found?.owner == null) await unlessExists(client.query(`CREATE DATABASE ${name} OWNER ${owner()}`));
  else await giveToOwner(address, database, `ALTER DATABASE ${name} OWNER TO ${owner()}`);
}

/**
 * Gives everything that the superuser has made in the database to its owner: `REASSIGN OWNED` refuses this
 * superuser.
 */
async function giveToOwner(address: ServerAddress, database: string, giveDatabase: string): Promise<void> {
  const client = await connect(address, database);
  try {
    await client.query(`BEGIN; ${giveDatabase}; ${giveAll()}; COMMIT`);
  } finally {
    await client.end();
  }
}

/**
 * A sequence or type that belongs to a table changes its owner with the table; an extension keeps its own.
 */
const giveAll = (): string => `DO $$
  DECLARE command text;
  BEGIN
    FOR command IN
      WITH own AS (SELECT oid FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'),
           part AS (SELECT objid FROM pg_depend WHERE deptype IN ('a', 'i', 'e'))
      SELECT format('TABLE %s', oid::regclass) FROM pg_class
       WHERE relnamespace IN (TABLE own) AND relkind IN ('r', 'p', 'v', 'm', 'S', 'f') AND relowner = 10 AND oid NOT IN (TABLE part)
       UNION ALL
      SELECT format('ROUTINE %s', oid::regprocedure) FROM pg_proc
       WHERE pronamespace IN (TABLE own) AND proowner = 10 AND oid NOT IN (TABLE part)
       UNION ALL
      SELECT format('TYPE %s', oid::regtype) FROM pg_type
       WHERE typnamespace IN (TABLE own) AND typowner = 10 AND typtype IN ('e', 'd', 'r') AND oid NOT IN (TABLE part)
       UNION ALL
      SELECT format('SCHEMA %I', nspname) FROM pg_namespace WHERE oid IN (TABLE own) AND nspowner = 10
    LOOP
      EXECUTE format('ALTER %s OWNER TO ${owner()}', command);
    END LOOP;
  END $$`;

/** Another process may create it at the same time. */
async function unlessExists(creation: Promise<unknown>): Promise<void> {
  await creation.catch((error: unknown) => {
    // duplicate_database, duplicate_object, or unique_violation
    if (!['42P04', '42710', '23505'].includes(errorCodeOf(error))) throw error;
  });
}
