import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { loadMigrations } from './migration-state.js';

describe('loadMigrations', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'petstore-migrations-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('loads the files of npm run migration and of the command line of TypeORM, in order', async () => {
    const files = ['2-AddPhone.js', '1-add-name.js', '2-AddPhone.d.ts', '2-AddPhone.js.map', 'notes.js'];
    for (const [i, name] of files.entries())
      await writeFile(join(folder, name), `export class Migration${i} {}`);
    const migrations = await loadMigrations(pathToFileURL(`${folder}/`));
    expect(migrations.map(({ name }) => name)).toEqual(['Migration1', 'Migration0']);
  });
});
