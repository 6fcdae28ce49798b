import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkout } from '../support/checkout.js';
import { processesOf } from '../support/processes.js';
import { Program } from '../support/program.js';

let folder: Awaited<ReturnType<typeof checkout>>;
let dev: Program;

beforeAll(async () => {
  folder = await checkout();
  dev = new Program(join(folder.path, 'scripts/dev.mjs'), [], { cwd: folder.path, env: { PORT: '0' } });
  await dev.prints(/Ctrl-C stops it\.\n/);
});
afterAll(async () => {
  dev.signal('SIGKILL');
  await dev.ended;
  await folder.remove();
});

const source = () => join(folder.path, 'src/pets/pets.controller.ts');
const postmaster = async () =>
  (await readFile(join(folder.path, '.petstore/postgres/postmaster.pid'), 'utf8')).split('\n')[0];

describe('npm run dev', () => {
  it('starts the service again after a change, on the same PostgreSQL', async () => {
    const before = await postmaster();
    await appendFile(source(), '\n// changed\n');
    await dev.prints(/listens again/);
    expect(await postmaster()).toBe(before);
  });

  it('goes on with what it has when a change cannot be compiled, and says where', async () => {
    const text = await readFile(source(), 'utf8');
    await writeFile(source(), `${text}const a: = 1;\n`);
    await dev.complains(/pets\.controller\.ts:\d+/);
    await writeFile(source(), text);
    await dev.prints(/listens again[^]*listens again/);
  });

  it('ends on Ctrl-C with exit code 0 and leaves nothing running', async () => {
    dev.signal('SIGINT');
    expect(await dev.ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/\nStopped\.\n$/) });
    expect(processesOf(folder.path)).toEqual([]);
  });
});
