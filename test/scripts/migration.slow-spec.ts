import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkout } from '../support/checkout.js';
import { run } from '../support/program.js';
import { createTestDatabase, withClient } from '../support/test-database.js';

describe('npm run migration', () => {
  let folder: Awaited<ReturnType<typeof checkout>>;
  const script = (file: string, args: string[], env: Record<string, string> = {}) =>
    run(join(folder.path, file), args, { cwd: folder.path, env });
  const migrations = () => readdir(join(folder.path, 'migrations'));

  beforeAll(async () => {
    folder = await checkout();
  });
  afterAll(() => folder.remove());

  it('says that there is nothing to write if the entities match the tables', async () => {
    const before = await migrations();
    expect(await script('tools/scripts/migration.mjs', ['nothing'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /Nothing to write: your entities match the tables\. .+ --empty\.\n$/,
      ) as unknown,
      stderr: '',
    });
    expect(await migrations()).toEqual(before);
  });

  it('writes an empty one for SQL of its author, which compiles and runs, both ways', async () => {
    const { code, stdout } = await script('tools/scripts/migration.mjs', ['index-names', '--empty']);
    const [, time] = /^created {2}migrations\/(\d+)-index-names\.ts$/m.exec(stdout) ?? [];
    expect({ code, time }).toEqual({ code: 0, time: expect.any(String) as unknown });
    expect(await script('node_modules/@nestjs/cli/bin/nest.js', ['build'])).toMatchObject({ code: 0 });
    const empty = await createTestDatabase('template1');
    for (const args of [['migrate'], ['migrate', '--revert', '--yes']])
      expect(await script('bin/petstore.js', args, { DATABASE_URL: empty.url })).toMatchObject({
        code: 0,
        stdout: expect.stringContaining(`IndexNames${time}`) as unknown,
      });
    await empty.drop();
  });

  it('writes ids of type uuid that work in an empty database, without an extension', async () => {
    await mkdir(join(folder.path, 'src/notes'));
    await writeFile(join(folder.path, 'src/notes/note.entity.ts'), NOTE);
    const { code, stdout, stderr } = await script('tools/scripts/migration.mjs', ['create-notes']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [file = ''] = /migrations\/\d+-create-notes\.ts/.exec(stdout) ?? [];
    expect(await readFile(join(folder.path, file), 'utf8')).toContain('DEFAULT gen_random_uuid()');
    const empty = await createTestDatabase('template1');
    expect(await script('node_modules/@nestjs/cli/bin/nest.js', ['build'])).toMatchObject({ code: 0 });
    expect(await script('bin/petstore.js', ['migrate'], { DATABASE_URL: empty.url })).toMatchObject({
      code: 0,
      stderr: '',
    });
    const insert = "INSERT INTO notes (text) VALUES ('x') RETURNING id";
    const { rows } = await withClient(empty.url, (client) => client.query(insert));
    expect(rows).toEqual([{ id: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown }]);
    await empty.drop();
    expect(await script('tools/scripts/migration.mjs', ['nothing'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Nothing to write') as unknown,
    });
  });
});

const NOTE = `import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

@Entity('notes')
export class Note {
  @PrimaryGeneratedColumn('uuid')
  readonly id!: string;

  @Column('text')
  text!: string;
}
`;
