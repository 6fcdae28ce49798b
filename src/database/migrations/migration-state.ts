import { loadMigrations } from './load-migrations.js';

/** Names of migrations, in their order. */
export interface MigrationState {
  readonly applied: readonly string[];
  /** Known to this version, and not applied. */
  readonly pending: readonly string[];
  /** Applied by a newer version, and not known to this one. */
  readonly newer: readonly string[];
}

type Query = (sql: string) => Promise<readonly object[]>;

/** Holds the migrations that have run in a database against those of this version. Changes nothing. */
export async function migrationState(query: Query): Promise<MigrationState> {
  const [known, applied] = [await knownMigrations(), await appliedMigrations(query)];
  return {
    applied,
    pending: known.filter((name) => !applied.includes(name)),
    newer: applied.filter((name) => !known.includes(name)),
  };
}

async function knownMigrations(): Promise<string[]> {
  return (await loadMigrations()).map((Migration) => new Migration().name ?? Migration.name);
}

/** The table is TypeORM's, made before the first migration. */
async function appliedMigrations(query: Query): Promise<string[]> {
  const there = await query("SELECT WHERE to_regclass('migrations') IS NOT NULL");
  if (there.length === 0) return [];
  const rows = (await query('SELECT name FROM migrations ORDER BY id')) as readonly { name: string }[];
  return rows.map(({ name }) => name);
}
