import { once } from 'node:events';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkout } from '../support/checkout.js';
import { eventually } from '../support/eventually.js';
import { processesOf } from '../support/processes.js';
import { onTerminal, Program } from '../support/program.js';

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

const source = () => join(folder.path, 'src/pets/pets.controller.ts');
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
const postmaster = async () =>
  (await readFile(join(folder.path, '.petstore/postgres/postmaster.pid'), 'utf8')).split('\n')[0];

describe('npm run dev', () => {
  it('starts the service again after a change, on the same PostgreSQL', async () => {
    const before = await postmaster();
    await appendFile(source(), '\n// changed\n');
    await dev.prints(/listens again/);
    expect(await postmaster()).toBe(before);
  });

  it('keeps serving the last version if a change does not compile, and says where', async () => {
    const text = await readFile(source(), 'utf8');
    await writeFile(source(), `${text}const a: = 1;\n`);
    await dev.complains(/pets\.controller\.ts:\d+/);
    const said = dev.stdout.length;
    await writeFile(source(), text);
    await eventually(() => dev.stdout.slice(said).includes('listens again'));
  });

  it('ends on Ctrl-C with exit code 0 and leaves nothing running', async () => {
    dev.signal('SIGINT');
    expect(await dev.ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/\nStopped\.\n$/) });
    expect(processesOf(folder.path)).toEqual([]);
  });
});

describe('npm run dev on a terminal', () => {
  it('reports an edited migration that was applied, and applies it again when r is pressed', async () => {
    const file = join(folder.path, 'migrations/9000000000000-create-notes.ts');
    await writeFile(file, createNotes('id bigint'));
    await appendFile(migrations(), "export * from './9000000000000-create-notes.js';\n");
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
