import { petstore as command } from '../support/command-line.js';
import { emptyFolder, Program, SERVICE } from '../support/program.js';
import { seconds } from '../../src/platform/clock/duration.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

const PROCESSES = 2;
const PROMISED = seconds(1);
/** Allows for a busy machine. A cache entry would last 10 s. */
const SOON = seconds(5);
/** How long it took until every process had noticed each change, in milliseconds. */
const delays: number[] = [];

let folder: Awaited<ReturnType<typeof emptyFolder>>;
let database: TestDatabase;
let services: Program[];
let urls: string[];

beforeAll(async () => {
  [folder, database] = await Promise.all([emptyFolder(), createTestDatabase()]);
  const ports = await Promise.all(Array.from({ length: PROCESSES }, freePort));
  const env = { DATABASE_URL: database.url, LOG_LEVEL: 'warn' };
  services = ports.map(
    (port) => new Program(SERVICE, [], { cwd: folder.path, env: { ...env, PORT: String(port) } }),
  );
  await Promise.all(services.map((service) => service.prints(/listens/)));
  urls = ports.map((port) => `http://127.0.0.1:${port}/v1/pets?limit=1`);
});

afterAll(async () => {
  for (const service of services) service.signal('SIGTERM');
  await Promise.all(services.map(({ ended }) => ended));
  await Promise.all([folder.remove(), database.drop()]);
});

/** Runs a command in a separate process. @returns what it prints with --json */
async function petstore(...args: string[]): Promise<{ id: string; key: string }> {
  const { stdout, stderr } = await command([...args, '--json'], { DATABASE_URL: database.url });
  if (stderr !== '') throw new Error(stderr);
  return JSON.parse(stdout) as { id: string; key: string };
}

const create = () => petstore('keys', 'create', '--plan', 'business', '--name', 'a test');

/** The status that each process returns for a key. */
const statuses = (key: string): Promise<number[]> =>
  Promise.all(
    urls.map(async (url) => (await fetch(url, { headers: { Authorization: `Bearer ${key}` } })).status),
  );
const all = (status: number): number[] => Array<number>(PROCESSES).fill(status);

/** The commit happens before the command ends. The processes have one second from that end. */
async function soon(key: string, status: number): Promise<void> {
  const begin = performance.now();
  await eventually(async () => (await statuses(key)).every((received) => received === status), SOON);
  delays.push(performance.now() - begin);
}

describe('each of two processes that know a key', () => {
  it('refuses it soon after its revocation', async () => {
    const { id, key } = await create();
    expect(await statuses(key)).toEqual(all(200));
    await petstore('keys', 'revoke', id);
    await soon(key, 401);
  });

  it('refuses the old secret soon after a rotation without an overlap, and takes the new one', async () => {
    const { id, key } = await create();
    expect(await statuses(key)).toEqual(all(200));
    const rotated = await petstore('keys', 'rotate', id, '--overlap', '0');
    await soon(key, 401);
    expect(await statuses(rotated.key)).toEqual(all(200));
  });

  it('refuses the old secret when its overlap ends, without another notification', async () => {
    const { id, key } = await create();
    const rotated = await petstore('keys', 'rotate', id, '--overlap', '2s');
    expect(await statuses(rotated.key)).toEqual(all(200));
    await eventually(
      async () => (await statuses(key)).every((received) => received === 401),
      seconds(2) + SOON,
    );
    expect(await statuses(rotated.key)).toEqual(all(200));
  });

  it('refuses missing scopes soon after an update', async () => {
    const { id, key } = await create();
    expect(await statuses(key)).toEqual(all(200));
    await petstore('keys', 'update', id, '--scopes', 'orders:read');
    await soon(key, 403);
  });

  it('notices changes within a second, if this machine is fast enough', () => {
    expect(delays.length).toBeGreaterThan(1);
    expect(Math.min(...delays)).toBeLessThan(PROMISED);
  });

  it('records the last use of a key when it is stopped', async () => {
    const { id, key } = await create();
    expect(await statuses(key)).toEqual(all(200));
    for (const service of services) service.signal('SIGTERM');
    await Promise.all(services.map(({ ended }) => ended));
    expect(await petstore('keys', 'show', id)).toMatchObject({
      lastUsedAt: expect.stringMatching(/^\d{4}-.+Z$/) as unknown,
    });
  });
});
