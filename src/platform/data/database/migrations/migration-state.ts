import type { MigrationInterface } from 'typeorm';
import { StartupError } from '../../../kernel/config/startup-error.js';
import { service } from '../../../kernel/config/service.js';

/** A migration of this version. TypeORM records the name of the class. */
export interface Migration {
  new (): MigrationInterface;
  /**
   * The oldest version whose databases this one upgrades, such as `1.3`, on its last migration: a database in
   * use that lacks it is refused.
   */
  readonly upgradesFrom?: string;
}

/** Names of migrations, in order. */
export interface MigrationState {
  readonly applied: readonly string[];
  /** Known to this version, but not applied. */
  readonly pending: readonly string[];
  /** Applied by a newer version. */
  readonly newer: readonly string[];
}

type Query = (sql: string) => Promise<readonly object[]>;

/**
 * Compares the migrations of a database with those of this version.
 * @param known their names
 */
export async function migrationState(query: Query, known: readonly string[]): Promise<MigrationState> {
  const applied = await appliedMigrations(query);
  return {
    applied,
    pending: known.filter((name) => !applied.includes(name)),
    newer: applied.filter((name) => !known.includes(name)),
  };
}

/** Whether it has keys. A database with tables and without keys may be that of an interrupted first start. */
export async function isInUse(query: Query): Promise<boolean> {
  const tables = await query("SELECT WHERE to_regclass('api_keys') IS NOT NULL");
  return tables.length > 0 && (await query('SELECT FROM api_keys LIMIT 1')).length > 0;
}

/**
 * Services on this platform have tables of the same names and share its migrations.
 * @throws StartupError if the database has keys, and all of them are of another service
 */
export async function requireOwnKeys(query: Query): Promise<void> {
  if (!(await isInUse(query))) return;
  const own = `${service().prefix}_`;
  const begin = 'left(prefix, -4)'; // the rest are the first characters of the random part
  const [other] = (await query(
    `SELECT ${begin} AS begin FROM api_keys WHERE NOT EXISTS (SELECT FROM api_keys WHERE ${begin} = '${own}') LIMIT 1`,
  )) as readonly { begin: string }[];
  if (other)
    throw new StartupError(
      `DATABASE_URL: the database is of another service: its keys begin with ${other.begin}, not ${own}. Give this one a database of its own.`,
    );
}

/** For a process that runs none. @throws StartupError if some are pending */
export function requireMigrations({ applied, pending }: MigrationState): void {
  if (pending.length === 0) return;
  const lack =
    applied.length === 0
      ? 'The database has no tables of the service. Check that it is the right one'
      : `The database lacks ${pending.join(', ')}`;
  throw new StartupError(
    `${lack}. Start the service with MIGRATE_AT_START=on, or run: ${service().program} migrate`,
  );
}

/** The table does not exist before the first migration: TypeORM creates it. */
async function appliedMigrations(query: Query): Promise<string[]> {
  const tables = await query("SELECT WHERE to_regclass('migrations') IS NOT NULL");
  if (tables.length === 0) return [];
  const rows = (await query('SELECT name FROM migrations ORDER BY id')) as readonly { name: string }[];
  return rows.map(({ name }) => name);
}
