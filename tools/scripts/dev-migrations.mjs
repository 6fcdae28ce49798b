// What `npm run dev` does about a migration that is edited after it was applied: TypeORM knows it by its name alone.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { inspectMigrations, migrate, revertLast } from '../../dist/src/database/migrations/migrate.js';

const FOLDER = join(import.meta.dirname, '../../migrations');

/**
 * Applies the pending migrations, and notes what they are made of.
 * @param again whether those that have changed since are reverted first, with all later ones
 * @returns the names of those that have changed since, and of the later ones: newest first
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
    await migrate(url);
    await note(client, url);
    return await outdated(client, url);
  } finally {
    await client.end();
  }
}

async function revert(url, name) {
  await revertLast(url);
  console.log(`Reverted ${name}.`);
}

async function forgetReverted(client, url) {
  const { applied } = await inspectMigrations(url);
  await client.query('DELETE FROM development_migrations WHERE name <> ALL ($1)', [applied]);
}

/** Those that were applied just now. */
async function note(client, url) {
  const [hashes, { applied }] = await Promise.all([hashesOfSources(), inspectMigrations(url)]);
  for (const name of applied)
    await client.query('INSERT INTO development_migrations VALUES ($1, $2) ON CONFLICT DO NOTHING', [
      name,
      hashes.get(name) ?? '',
    ]);
}

async function outdated(client, url) {
  const [hashes, { applied }] = await Promise.all([hashesOfSources(), inspectMigrations(url)]);
  const { rows } = await client.query('SELECT name, hash FROM development_migrations');
  const changed = rows.filter(({ name, hash }) => hashes.has(name) && hashes.get(name) !== hash);
  const first = applied.findIndex((migration) => changed.some(({ name }) => name === migration));
  return first === -1 ? [] : applied.slice(first).reverse();
}

/** By the names of their classes, which TypeORM notes. */
async function hashesOfSources() {
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith('.ts'));
  const hashes = files.map(async (file) => {
    const text = await readFile(join(FOLDER, file), 'utf8');
    const [, name] = /export class (\w+)/.exec(text) ?? [];
    return [name, createHash('sha256').update(text).digest('hex')];
  });
  return new Map(await Promise.all(hashes));
}
