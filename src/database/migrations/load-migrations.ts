import { readdir } from 'node:fs/promises';
import type { MigrationInterface } from 'typeorm';

const FOLDER = new URL('../../../migrations/', import.meta.url);
const MIGRATION = /^\d+-[a-z0-9-]+\.(js|ts)$/;

/** Every migration of the `migrations` folder, in order of its timestamp: adding one is adding a file. */
export async function loadMigrations(): Promise<(new () => MigrationInterface)[]> {
  const files = (await readdir(FOLDER)).filter((file) => MIGRATION.test(file)).sort();
  const modules = await Promise.all(
    files.map((file) => import(new URL(file, FOLDER).href) as Promise<object>),
  );
  return modules.flatMap((module) => Object.values(module) as (new () => MigrationInterface)[]);
}
