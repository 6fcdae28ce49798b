import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');

async function manifestOf(folder: string) {
  const text = await readFile(join(ROOT, folder, 'package.json'), 'utf8');
  return JSON.parse(text) as { version: string; dependencies: Record<string, string> };
}

/**
 * The fast path and the joined transactions use parts of these packages that are not documented. Before a newer version
 * is entered here: read what it changes in the files named, and run the specs of `src/database/`.
 */
describe.each([
  ['pg', '8.23.1', 'lib/query.js, lib/client.js, lib/utils.js'],
  ['typeorm', '1.1.1', 'driver/postgres/PostgresQueryRunner.js, metadata/EntityMetadata.js, persistence/'],
])('the internals of %s', (name, version) => {
  it('are those of the version that was read', async () => {
    expect((await manifestOf('.')).dependencies[name]).toBe(version);
    expect((await manifestOf(`node_modules/${name}`)).version).toBe(version);
  });
});
