import { once } from 'node:events';
import { appendFile, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkout } from '../support/checkout.js';
import { eventually } from '../support/eventually.js';
import { processesOf } from '../support/processes.js';
import { onTerminal, Program, run } from '../support/program.js';

let folder: Awaited<ReturnType<typeof checkout>>;
let dev: Program;

beforeAll(async () => {
  folder = await checkout();
  dev = new Program(join(folder.path, 'tools/scripts/dev.mjs'), [], { cwd: folder.path, env: { PORT: '0' } });
  await dev.prints(/Ctrl-C stops it\.\n/);
});
afterAll(async () => {
  dev.signal('SIGKILL');
  await dev.ended;
  await folder.remove();
});

const source = () => join(folder.path, 'src/shop/pets/pets.controller.ts');
const createNotes = (columns: string) => `
  export class CreateNotes9000000000000 {
    up(runner: any) {
      return runner.query('CREATE TABLE notes (${columns})');
    }
    down(runner: any) {
      return runner.query('DROP TABLE notes');
    }
  }`;
const migrations = () => join(folder.path, 'migrations/index.ts');
const built = (output: string) => readFile(output, 'utf8').catch(() => '');
const postmaster = async () =>
  (await readFile(join(folder.path, '.petstore/postgres/postmaster.pid'), 'utf8')).split('\n')[0];

describe('npm run dev', () => {
  it('starts the service again after a change, on the same PostgreSQL', async () => {
    const before = await postmaster();
    await appendFile(source(), '\n// changed\n');
    await dev.prints(/listens again/);
    expect(await postmaster()).toBe(before);
  });

  it.each([
    ['in place', (text: string) => writeFile(source(), text)],
    [
      'by a rename, as vim, JetBrains and git do',
      async (text: string) => {
        await writeFile(`${source()}~`, text);
        await rename(`${source()}~`, source());
      },
    ],
  ])('hears each of 20 saves %s', async (_, save) => {
    const text = await readFile(source(), 'utf8');
    const output = join(folder.path, 'dist/src/shop/pets/pets.controller.js');
    for (let i = 1; i <= 20; i++) {
      await save(`${text}\nexport const saved = ${i};\n`);
      await eventually(async () => (await built(output)).includes(`saved = ${i};`));
    }
    await save(text);
  });

  it('keeps serving the last version if a change does not compile, and says where', async () => {
    const text = await readFile(source(), 'utf8');
    await writeFile(source(), `${text}const a: = 1;\n`);
    await dev.complains(/pets\.controller\.ts:\d+/);
    const said = dev.stdout.length;
    await writeFile(source(), text);
    await eventually(() => dev.stdout.slice(said).includes('listens again'));
  });

  it('says that the service has ended, and starts it again after the next save', async () => {
    const text = await readFile(source(), 'utf8');
    await writeFile(source(), `${text}throw new Error('too early');\n`);
    await dev.complains(/too early[^]+The next save starts it again\.\n/);
    const said = dev.stdout.length;
    await writeFile(source(), text);
    await eventually(() => dev.stdout.slice(said).includes('listens again'));
  });

  it('reports an edited migration that was applied before, and applies it once it is reverted', async () => {
    const file = join(folder.path, 'migrations/9000000000000-create-notes.ts');
    /** What is printed after a change, until the service listens again. */
    const printedAfter = async (change: () => Promise<unknown>) => {
      const said = dev.stdout.length;
      await change();
      await eventually(() => dev.stdout.slice(said).includes('listens again'));
      return dev.stdout.slice(said);
    };
    await printedAfter(() => writeFile(file, createNotes('id bigint')));
    await printedAfter(() => appendFile(migrations(), "export * from './9000000000000-create-notes.js';\n"));
    expect(await printedAfter(() => writeFile(file, createNotes('id bigint, text text')))).toMatch(
      /CreateNotes9000000000000 has changed since it was applied[^]+--revert/,
    );
    const revert = ['migrate', '--revert', '--yes', '--force'];
    expect(await run(join(folder.path, 'bin/petstore.js'), revert, { cwd: folder.path })).toMatchObject({
      stdout: 'Reverted: CreateNotes9000000000000\n',
    });
    expect(await printedAfter(() => appendFile(source(), '\n// saved\n'))).not.toContain('has changed');
  });

  it('ends on Ctrl-C with exit code 0 and leaves nothing running', async () => {
    dev.signal('SIGINT');
    expect(await dev.ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/\nStopped\.\n$/) });
    expect(processesOf(folder.path)).toEqual([]);
  });
});

describe('npm run dev on a terminal', () => {
  it('reverts an edited migration and applies it again when r is pressed', async () => {
    const file = join(folder.path, 'migrations/9000000000000-create-notes.ts');
    const terminal = onTerminal(join(folder.path, 'tools/scripts/dev.mjs'), [], {
      cwd: folder.path,
      env: { PORT: '0' },
    });
    let shown = '';
    terminal.stdout.on('data', (text: Buffer) => (shown += text.toString()));
    await eventually(() => shown.includes('Ctrl-C stops it.'));
    await writeFile(file, createNotes('id bigint, text text, time date'));
    await eventually(() => shown.includes('press r and Enter to revert it'));
    terminal.stdin.write('r\r');
    await eventually(() => shown.includes('Reverted CreateNotes9000000000000.'));
    shown = '';
    await eventually(() => shown.includes('listens again'));
    expect(shown).not.toContain('has changed');
    terminal.stdin.write('\x03');
    await once(terminal, 'exit');
    expect(processesOf(folder.path)).toEqual([]);
  });
});
