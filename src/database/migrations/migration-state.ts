import { readdir } from 'node:fs/promises';
import type { MigrationInterface } from 'typeorm';

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

/** The table does not exist before the first migration: TypeORM creates it. */
async function appliedMigrations(query: Query): Promise<string[]> {
  const tables = await query("SELECT WHERE to_regclass('migrations') IS NOT NULL");
  if (tables.length === 0) return [];
  const rows = (await query('SELECT name FROM migrations ORDER BY id')) as readonly { name: string }[];
  return rows.map(({ name }) => name);
}

const FOLDER = new URL('../../../migrations/', import.meta.url);
const MIGRATION = /^\d+-[\w-]+\.(js|ts)$/;

/** Loads the migrations of a folder, in order. */
export async function loadMigrations(folder = FOLDER): Promise<(new () => MigrationInterface)[]> {
  const files = (await readdir(folder)).filter((file) => MIGRATION.test(file)).sort();
  const modules = await Promise.all(
    files.map((file) => import(new URL(file, folder).href) as Promise<object>),
  );
  return modules.flatMap((module) => Object.values(module) as (new () => MigrationInterface)[]);
}
