import { type ChildProcess, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { seconds } from '../../src/platform/kernel/clock/duration.js';
import { becomes, eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { COMMAND_LINE, emptyFolder, inShell, Program, SERVICE, serviceInShell } from '../support/program.js';
import { skipped } from '../support/skipped.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

/** The service promises 10 s without a grace period. It needs at most 1 s for its log, the rest is for a busy machine. */
const STOP_TIME = seconds(5);

let folder: Awaited<ReturnType<typeof emptyFolder>>;
let database: TestDatabase;
let port: number;
let service: ChildProcess | undefined;
const readers: number[] = [];

beforeAll(async () => {
  folder = await emptyFolder();
  database = await createTestDatabase();
});
afterEach(() => service?.kill('SIGKILL'));
afterAll(async () => {
  readers.forEach(closeSync);
  await database.drop();
  await folder.remove();
});

/** Starts the service as an operator does, with its output where the shell sends it. */
async function start(
  redirection: string,
  settings: Record<string, string> = {},
  launcher = '',
): Promise<ChildProcess> {
  port = await freePort();
  const env = { PORT: String(port), ...settings };
  service = serviceInShell(redirection, { cwd: folder.path, env }, launcher);
  return service;
}

const ask = async (path: string): Promise<Response | undefined> => {
  try {
    return await fetch(`http://127.0.0.1:${port}${path}`);
  } catch {
    return undefined;
  }
};
const isReady = async () => (await ask('/health/ready'))?.status === 200;

/** A pipe that is full, and whose reader does not read. */
function frozenPipe(name: string): string {
  const path = join(folder.path, name);
  execFileSync('mkfifo', [path]);
  const reader = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  readers.push(reader);
  try {
    for (;;) writeSync(reader, Buffer.alloc(4_096));
  } catch {
    return path; // it is full
  }
}

/** Sends a signal that ends it, and waits. */
async function expectStop(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  const ended = once(child, 'exit');
  const began = performance.now();
  child.kill(signal);
  expect(await ended).toEqual([0, null]);
  expect(performance.now() - began).toBeLessThan(STOP_TIME);
}

describe.each<[string, () => string, string?]>([
  ['on a full disk', () => '> /dev/full'],
  ['appended on a full disk, as by systemd', () => '>> /dev/full 2>&1'],
  ['on a full disk behind nohup', () => '> /dev/full 2>&1 < /dev/null', 'nohup'],
  ['in a pipe whose reader is frozen', () => `> '${frozenPipe('log')}'`],
  ['in a pipe whose reader is frozen, with stderr', () => `> '${frozenPipe('both')}' 2>&1`],
])('a service whose log is %s', (_, output, launcher = '') => {
  it('starts, serves each request, and stops in time', async () => {
    const child = await start(output(), { DATABASE_URL: database.url, LOG_LEVEL: 'debug' }, launcher);
    await becomes(isReady, true);
    const statuses = new Set<number | undefined>();
    for (let i = 0; i < 500; i++) statuses.add((await ask('/health/live'))?.status); // 120 KiB of lines
    expect([...statuses]).toEqual([200]);
    await expectStop(child);
  });
});

describe('a service with its embedded PostgreSQL', () => {
  it('starts and stops with its log on a full disk', async () => {
    const child = await start('> /dev/full');
    await becomes(isReady, true);
    await expectStop(child, 'SIGINT');
  });
});

describe('a log whose reader has ended', () => {
  /** With its log in a pipe to this process, which is its reader. */
  const startHere = (script: string, ...args: string[]) =>
    new Program(script, args, {
      cwd: folder.path,
      env: { DATABASE_URL: database.url, PORT: String(port), LOG_LEVEL: 'debug' },
    });
  const STOPS = { code: 1, stderr: 'petstore: nothing reads stdout, so it stops.\n' };

  it('ends the service as a failure, after which systemd starts it again', async () => {
    port = await freePort();
    const running = startHere(SERVICE);
    await becomes(isReady, true);
    running.stopReading();
    await ask('/health/live'); // a line
    expect(await running.ended).toMatchObject(STOPS);
  });

  it('ends petstore worker as a failure, too', async () => {
    const running = startHere(COMMAND_LINE, 'worker');
    running.stopReading();
    expect(await running.ended).toMatchObject(STOPS);
  });
});

describe('a start that fails', () => {
  it.each([
    ['on a full disk', () => '> /dev/full 2>&1'],
    ['in a pipe whose reader is frozen', () => `> '${frozenPipe('failed')}' 2>&1`],
  ])('ends with its log %s', async (_, output) => {
    const child = await start(output(), { DATABASE_URL: `postgres://127.0.0.1:${await freePort()}/none` });
    expect(await once(child, 'exit')).toEqual([1, null]);
  });
});

describe('a result that cannot be written', () => {
  it.each([['doctor'], ['doctor --json'], ['plans list']])('petstore %s fails', async (command) => {
    const env = `cd '${folder.path}'; PORT=0`;
    const { stdout } = await inShell(
      `${env} '${process.execPath}' '${COMMAND_LINE}' ${command} 2>&1 >/dev/full; echo $?`,
    );
    expect(stdout).toBe(
      'petstore: The output cannot be written: ENOSPC: no space left on device, write.\n1\n',
    );
  });
});

/** Mounting needs a Linux and its superuser. */
const mayMount = process.platform === 'linux' && process.getuid?.() === 0;
if (!mayMount) skipped('a disk that is full and then not', 'run it as root on Linux');

(mayMount ? describe : describe.skip)('a disk that is full, and later is not', () => {
  let disk: string;
  beforeAll(() => {
    disk = mkdtempSync(join(folder.path, 'disk-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk]);
  });
  afterAll(() => {
    execFileSync('umount', ['--lazy', disk]);
  });

  it('gets the lines of the time between, as far as the buffer holds them, and the later ones', async () => {
    const other = join(disk, 'other');
    writeFileSync(other, Buffer.alloc(48 * 1_024));
    const child = await start(`>> '${disk}/log'`, { DATABASE_URL: database.url, LOG_LEVEL: 'debug' });
    await becomes(isReady, true);
    for (let i = 0; i < 200; i++) await ask(`/health/live`); // 44 KiB of lines for 16 KiB of space
    const lines = () => readFileSync(join(disk, 'log'), 'utf8').split('\n');
    await eventually(
      () => execFileSync('df', ['--output=avail', disk]).toString().split('\n')[1]?.trim() === '0',
    );
    rmSync(other);
    await eventually(() => lines().filter((line) => line.includes('"route":"/health/live"')).length === 200);
    await expectStop(child);
    const texts = lines().slice(0, -1);
    expect(texts.filter((line) => line.includes('"route":"/health/live"'))).toHaveLength(200);
    for (const line of texts) expect(JSON.parse(line)).toHaveProperty('level'); // no line is torn
  });
});
