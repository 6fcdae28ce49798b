import type { MigrationInterface } from 'typeorm';
import * as listed from '../../../../migrations/index.js';

type Migration = new () => MigrationInterface;

const timeOf = ({ name }: Migration): number => Number(/\d+$/.exec(name)?.[0]);

/** The migrations of this version, in order: their names end with a time. */
export const MIGRATIONS: readonly Migration[] = Object.values<Migration>(listed).sort(
  (one, other) => timeOf(one) - timeOf(other),
);

/** Names of migrations, in order. */
export interface MigrationState {
  readonly applied: readonly string[];
  /** Known to this version, but not applied. */
  readonly pending: readonly string[];
  /** Applied by a newer version. */
  readonly newer: readonly string[];
}

type Query = (sql: string) => Promise<readonly object[]>;

/** Compares the migrations of a database with those of this version. */
export async function migrationState(query: Query): Promise<MigrationState> {
  const known = MIGRATIONS.map(({ name }) => name);
  const applied = await appliedMigrations(query);
  return {
    applied,
    pending: known.filter((name) => !applied.includes(name)),
    newer: applied.filter((name) => !known.includes(name)),
  };
}

/** The table does not exist before the first migration: TypeORM creates it. */
async function appliedMigrations(query: Query): Promise<string[]> {
  const tables = await query("SELECT WHERE to_regclass('migrations') IS NOT NULL");
  if (tables.length === 0) return [];
  const rows = (await query('SELECT name FROM migrations ORDER BY id')) as readonly { name: string }[];
  return rows.map(({ name }) => name);
}
