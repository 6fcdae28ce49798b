import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { refusedStart } from '../../support/command-line.js';
import { processesOf } from '../../support/processes.js';
import {
  COMMAND_LINE,
  emptyFolder,
  type Ended,
  expectTooFewFiles,
  inShell,
  Program,
  SERVICE,
} from '../../support/program.js';
import { createTestDatabase, type TestDatabase, withClient } from '../../support/test-database.js';
import { PREFIX, SECRET } from '../../support/prefix.js';

const LISTENS = /listens/;
const PLANS = ['free', 'pro', 'business', 'enterprise'];
/** No fixed port is guaranteed to be free in a test run, so any free one is used. */
const ANY_PORT = { PORT: '0', SHUTDOWN_GRACE_SECONDS: '0' };

let folder: Awaited<ReturnType<typeof emptyFolder>>;
const programs: Program[] = [];

beforeAll(async () => {
  folder = await emptyFolder();
});

afterAll(async () => {
  await Promise.all(programs.map(stop));
  await folder.remove();
});

function start(env: Record<string, string> = {}, cwd = folder.path): Program {
  const program = new Program(SERVICE, [], { cwd, env: { ...ANY_PORT, ...env } });
  programs.push(program);
  return program;
}

async function started(...args: Parameters<typeof start>): Promise<Program> {
  const program = start(...args);
  await program.prints(/listens[^]*\n$/);
  return program;
}

function stop(program: Program): Promise<Ended> {
  program.signal('SIGINT');
  return program.ended;
}

const curlLine = ({ stdout }: Program) => /^ *(curl .+)$/m.exec(stdout)?.[1] ?? 'no curl line';
const urlOf = ({ stdout }: Program) => /(http:\S+)\/docs/.exec(stdout)?.[1] ?? 'no URL';
const keysOf = ({ stdout }: Program) =>
  PLANS.map((plan) => new RegExp(`^ +${plan} +(${SECRET})$`, 'm').exec(stdout)?.[1]);
const status = async (url: string) => (await fetch(url)).status;

/** Expects one line on stderr that contains all parts, exit code 1, and no message of success. */
function expectOneLine({ code, stdout, stderr }: Ended, ...parts: string[]): void {
  for (const part of parts) expect(stderr).toContain(part);
  expect(stderr).toMatch(/^petstore: .+\n$/);
  expect(stdout).not.toMatch(LISTENS);
  expect(code).toBe(1);
}

describe('npm start with an empty data folder', () => {
  let service: Program;

  beforeAll(async () => {
    service = await started();
  });

  it('prints the address of the Swagger UI', async () => {
    expect(await status(`${urlOf(service)}/docs`)).toBe(200);
  });

  it('prints a line for each step', () => {
    expect(service.stdout).toMatch(
      /^Starting PostgreSQL…\nApplying \d+ migrations…\nStarting the service…\n/,
    );
  });

  it('prints one demo key for each plan', () => {
    expect(keysOf(service)).toEqual(PLANS.map(() => expect.stringMatching(SECRET) as unknown));
    expect(new Set(keysOf(service)).size).toBe(PLANS.length);
  });

  it('prints a curl command that returns 200 with a list', async () => {
    const { stdout } = await inShell(curlLine(service));
    expect(stdout).toMatch(/^HTTP\/1\.1 200 /);
    expect(stdout).toMatch(/\n\[.*\]$/);
    expect(service.stdout.match(/curl/g)).toHaveLength(1);
  });

  it('stores the keys where only their owner can read them', async () => {
    const file = join(folder.path, '.petstore', 'demo-keys.json');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(Object.values(JSON.parse(await readFile(file, 'utf8')))).toEqual(keysOf(service));
  });

  it('refuses a second start on the same port before creating anything, and keeps serving', async () => {
    const other = await emptyFolder();
    const { port } = new URL(urlOf(service));
    const ended = await refusedStart({ PORT: port, PETSTORE_DATA_DIR: join(other.path, '.petstore') });
    expectOneLine(ended, `Port ${port}`, 'in use', 'PORT');
    expect(await readdir(other.path)).toEqual([]);
    expect(await status(`${urlOf(service)}/docs`)).toBe(200);
    await other.remove();
  });

  it('ends on Ctrl-C with exit code 0 and leaves nothing running', async () => {
    expect(processesOf(folder.path)).not.toEqual([]);
    expect(await stop(service)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/\nStopped\.\n$/),
      stderr: '',
    });
    expect(processesOf(folder.path)).toEqual([]);
  });

  it('gives a plan that is new a demo key, and keeps none of a plan that is gone', async () => {
    const file = join(folder.path, '.petstore', 'demo-keys.json');
    const before = await readFile(file, 'utf8');
    await writeFile(file, before.replace('"free"', '"bronze"'));
    service = await started();
    expect(service.stdout).not.toContain('bronze');
    expect(keysOf(service)).toEqual(PLANS.map(() => expect.stringMatching(SECRET) as unknown));
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
      ...(JSON.parse(before) as object),
      free: keysOf(service)[0],
    });
    const { stdout } = await inShell(curlLine(service));
    expect(stdout).toMatch(/^HTTP\/1\.1 200 /);
    await stop(service);
  });

  it('refuses a data folder that is a file', async () => {
    const file = join(folder.path, 'file');
    await writeFile(file, '');
    expectOneLine(await refusedStart({ PORT: '0', PETSTORE_DATA_DIR: file }), file, 'PETSTORE_DATA_DIR');
  });
});

describe('npm start with a DATABASE_URL', () => {
  let database: TestDatabase;
  let elsewhere: typeof folder;
  let service: Program;

  beforeAll(async () => {
    [database, elsewhere] = await Promise.all([createTestDatabase('template1'), emptyFolder()]);
    service = await started({ DATABASE_URL: database.url, HOST: '0.0.0.0', REDIS_ULR: 'x' }, elsewhere.path);
  });

  afterAll(async () => {
    await Promise.all([...programs.map(stop), elsewhere.remove()]);
    await database.drop();
  });

  const rowsOf = (...tables: readonly string[]) =>
    withClient(database.url, async (client) => {
      const counts: number[] = [];
      for (const table of tables) {
        const { rows } = await client.query<{ count: string }>(`SELECT count(*) FROM ${table}`);
        counts.push(Number(rows[0]?.count));
      }
      return counts;
    });

  it('serves without printing or creating demo data', async () => {
    expect(await status(`${urlOf(service)}/docs`)).toBe(200);
    expect(service.stdout).not.toMatch(new RegExp(`${PREFIX}_|curl|demo`, 'i'));
    expect(await readdir(elsewhere.path)).toEqual([]);
    expect(await rowsOf('api_keys', 'pets', 'orders')).toEqual([0, 0, 0]);
  });

  it('logs JSON if there is no terminal, including what happens just before the exit', async () => {
    for (let i = 0; i < 20; i++)
      await fetch(`${urlOf(service)}/v1/events`, { headers: { 'X-Request-Id': `r${i}` } });
    service.signal('SIGTERM');
    const { code, stdout, stderr } = await service.ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map(
        (line) => JSON.parse(line) as { level?: string; context?: string; requestId?: string; msg?: string },
      );
    expect(lines.find(({ msg }) => msg?.includes('listens at'))?.level).toBe('info');
    for (const named of ['HOST is 0.0.0.0, without PUBLIC_URL.', 'nothing reads REDIS_ULR.']) {
      const warnings = lines.filter(({ msg }) => msg?.startsWith(named));
      expect(warnings).toEqual([expect.objectContaining({ level: 'warn', context: 'Start' })]);
    }
    const ids = lines.flatMap(({ requestId }) => requestId ?? []).filter((id) => id.startsWith('r'));
    // In any order: what is flushed at the exit may overtake a write that is in progress.
    expect(ids.sort()).toEqual(Array.from({ length: 20 }, (_, i) => `r${i}`).sort());
  });

  it('refuses an unusable one in a single line without the password', async () => {
    const { href } = Object.assign(new URL(database.url), { password: 'hunter2' });
    const ended = await refusedStart({ PORT: '0', DATABASE_URL: href });
    expectOneLine(ended, 'DATABASE_URL');
    expect(ended.stderr).not.toContain('hunter2');
  });
});

describe('a program that may open too few files', () => {
  // open-files.slow-spec.ts tries others.
  it.each([
    [40, SERVICE],
    [120, SERVICE],
    [60, `${COMMAND_LINE}' keys 'list`],
  ])('says so in one line, if it needs more than %d: %s', expectTooFewFiles);
});

describe('npm start with an invalid variable', () => {
  it('names the variable in one line', async () => {
    expectOneLine(await refusedStart({ PORT: 'http' }), 'PORT');
    expectOneLine(await refusedStart({ PORT: '0', HOST: '192.0.2.1' }), 'HOST');
  });
});
