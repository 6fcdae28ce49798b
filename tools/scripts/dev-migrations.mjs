// Lets `npm run dev` detect migrations edited after they were applied. TypeORM identifies them only by name.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import {
  inspectMigrations,
  migrate,
  migrationsOf,
  revertLast,
} from '../../dist/src/platform/program/tools.js';

export const { SERVICE } = await import(pathToFileURL(join(process.cwd(), 'dist/src/service.js')).href);

const MIGRATIONS = migrationsOf(SERVICE);
/** Those that can be edited here: of the service, and of the platform in its own repository. */
const FOLDERS = ['migrations', 'src/platform/program/migrations'].filter(existsSync);

/**
 * Applies pending migrations and records the hashes of their sources.
 * @param again whether to revert changed migrations and all later ones first
 * @returns the names of migrations that have changed, and of all later ones, newest first
 */
export async function applyMigrations(url, { again }) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(
      'CREATE TABLE IF NOT EXISTS development_migrations (name text PRIMARY KEY, hash text NOT NULL)',
    );
    if (again) for (const name of await outdated(client, url)) await revert(url, name);
    await forgetReverted(client, url);
    await migrate(url, MIGRATIONS);
    await note(client, url);
    return await outdated(client, url);
  } finally {
    await client.end();
  }
}

async function revert(url, name) {
  await revertLast(url, MIGRATIONS);
  console.log(`Reverted ${name}.`);
}

async function forgetReverted(client, url) {
  const { applied } = await inspectMigrations(url, MIGRATIONS);
  await client.query('DELETE FROM development_migrations WHERE name <> ALL ($1)', [applied]);
}

/** Records the hashes of the migrations just applied. */
async function note(client, url) {
  const [hashes, { applied }] = await Promise.all([hashesOfSources(), inspectMigrations(url, MIGRATIONS)]);
  for (const name of applied)
    await client.query('INSERT INTO development_migrations VALUES ($1, $2) ON CONFLICT DO NOTHING', [
      name,
      hashes.get(name) ?? '',
    ]);
}

async function outdated(client, url) {
  const [hashes, { applied }] = await Promise.all([hashesOfSources(), inspectMigrations(url, MIGRATIONS)]);
  const { rows } = await client.query('SELECT name, hash FROM development_migrations');
  const changed = rows.filter(({ name, hash }) => hashes.has(name) && hashes.get(name) !== hash);
  const first = applied.findIndex((migration) => changed.some(({ name }) => name === migration));
  return first === -1 ? [] : applied.slice(first).reverse();
}

/** By class name, which is what TypeORM records. */
async function hashesOfSources() {
  const inFolder = async (folder) => (await readdir(folder)).map((file) => join(folder, file));
  const files = (await Promise.all(FOLDERS.map(inFolder))).flat().filter((file) => file.endsWith('.ts'));
  const hashes = files.map(async (file) => {
    const text = await readFile(file, 'utf8');
    const [, name] = /export class (\w+)/.exec(text) ?? [];
    return [name, createHash('sha256').update(text).digest('hex')];
  });
  return new Map(await Promise.all(hashes));
}
