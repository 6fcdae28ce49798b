import { spawn } from 'node:child_process';
import { cp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '../../support/eventually.js';
import { processesOf } from '../../support/processes.js';
import { COMMAND_LINE, emptyFolder, MIGRATED_DATA, Program, run, SERVICE } from '../../support/program.js';
import { SECRET } from '../../support/prefix.js';

let folder: Awaited<ReturnType<typeof emptyFolder>>;
let program: Program;

beforeEach(async () => {
  folder = await emptyFolder();
});
afterEach(async () => {
  program.signal('SIGKILL');
  await program.ended;
  await folder.remove();
});

function start(): Program {
  program = new Program(SERVICE, [], { cwd: folder.path, env: { PORT: '0' } });
  return program;
}

async function started(): Promise<Program> {
  await start().prints(/listens[^]*\n$/);
  return program;
}

const keysOf = ({ stdout }: Program) => stdout.match(new RegExp(SECRET, 'g'));

describe('npm start', () => {
  it('prints the same keys and takes over the running PostgreSQL after a kill -9', async () => {
    const killed = await started();
    killed.signal('SIGKILL');
    await killed.ended;
    const next = await started();
    expect(keysOf(next)).toEqual(keysOf(killed));
    next.signal('SIGINT');
    expect(await next.ended).toMatchObject({ code: 0 });
    expect(processesOf(folder.path)).toEqual([]);
  });

  it('ends on Ctrl-C in the middle of a start, leaves nothing running, and starts again', async () => {
    start();
    await eventually(() => processesOf(folder.path).length > 0); // initdb, or the server
    program.signal('SIGINT');
    expect(await program.ended).toMatchObject({ code: 0, stderr: '' });
    expect(processesOf(folder.path)).toEqual([]);
    (await started()).signal('SIGINT');
    expect(await program.ended).toMatchObject({ code: 0 });
  });

  it('refuses a second start on the same data folder, omits a rotated key at the next start, and refuses a damaged folder', async () => {
    const path = join(folder.path, '.petstore');
    const refused = async (...parts: string[]) => {
      const { code, stdout, stderr } = await new Program(SERVICE, [], {
        cwd: folder.path,
        env: { PORT: '0' },
      }).ended;
      expect(stderr).toMatch(/^petstore: .+\n$/);
      for (const part of [path, ...parts]) expect(stderr).toContain(part);
      expect({ code, listens: stdout.includes('listens') }).toEqual({ code: 1, listens: false });
    };
    const first = await started();
    await refused('in use', `pid ${first.pid}`);
    const [url = ''] = /http:\S+\/docs/.exec(first.stdout) ?? [];
    expect((await fetch(url)).status).toBe(200);
    first.signal('SIGTERM');
    expect(await first.ended).toMatchObject({ code: 0 });

    const rotated = await run(COMMAND_LINE, ['keys', 'rotate', '1', '--overlap', '0'], { cwd: folder.path });
    expect(rotated).toMatchObject({ code: 0 });
    const next = await started();
    const [free = '', ...others] = new Set(keysOf(first));
    expect(next.stdout).toMatch(/^ +free +rotated, revoked or expired$/m);
    expect(next.stdout).not.toContain(free);
    expect([...new Set(keysOf(next))].sort()).toEqual(others.sort());
    expect(next.stdout).not.toContain('migration');
    next.signal('SIGTERM');
    expect(await next.ended).toMatchObject({ code: 0 });
    expect(processesOf(folder.path)).toEqual([]);

    await rm(join(path, 'postgres', 'global'), { recursive: true });
    await refused('PETSTORE_DATA_DIR');
    expect(processesOf(folder.path)).toEqual([]);
  });
});

describe('npm start with a module that ends the process', () => {
  const BROKEN = join(import.meta.dirname, '../../support/broken-service.mjs');
  beforeEach(() => cp(MIGRATED_DATA, join(folder.path, '.petstore'), { recursive: true }));

  it.each([
    ['missing package', /^petstore: The "no-such-package" package is missing.+ to use SuppliersModule\.$/m],
    ['thrown constructor', /^Error: A supplier has no name$/m],
    ['rejected later', /^Error: A supplier has no name$/m],
  ])('prints the cause of a %s once, and stops PostgreSQL', async (broken, cause) => {
    program = new Program(BROKEN, [broken], { cwd: folder.path, env: { PORT: '0' } });
    const { code, stderr } = await program.ended;
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(cause) });
    expect(stderr.match(new RegExp(cause, 'gm'))).toHaveLength(1);
    await eventually(() => processesOf(folder.path).length === 0);
  });

  it('stops PostgreSQL after process.exit()', async () => {
    program = new Program(BROKEN, ['exit'], { cwd: folder.path, env: { PORT: '0' } });
    expect(await program.ended).toMatchObject({ code: 3 });
    await eventually(() => processesOf(folder.path).length === 0);
  });
});

it('stops when its terminal is closed', async () => {
  await cp(MIGRATED_DATA, join(folder.path, '.petstore'), { recursive: true });
  // A terminal for the service, which `script` closes by its end.
  const terminal = spawn('script', ['-qefc', `PORT=0 '${process.execPath}' '${SERVICE}'`, 'typescript'], {
    cwd: folder.path,
    stdio: 'ignore',
  });
  const typescript = () => readFile(join(folder.path, 'typescript'), 'utf8').catch(() => '');
  await eventually(async () => (await typescript()).includes('listens'));
  expect(processesOf(folder.path)).not.toEqual([]);
  terminal.kill('SIGKILL');
  await eventually(() => processesOf(folder.path).length === 0);
});

it('goes on serving after SIGHUP without a terminal, as nohup promises', async () => {
  await cp(MIGRATED_DATA, join(folder.path, '.petstore'), { recursive: true });
  const service = await started();
  service.signal('SIGHUP');
  service.signal('SIGHUP');
  const [, url = ''] = /(http:\S+)\/docs/.exec(service.stdout) ?? [];
  for (let i = 0; i < 20; i++) expect((await fetch(`${url}/health/live`)).status).toBe(200);
  service.signal('SIGTERM');
  expect(await service.ended).toMatchObject({ code: 0, stderr: '' });
});
