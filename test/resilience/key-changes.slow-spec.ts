import { petstore as command } from '../support/command-line.js';
import { emptyFolder, Program, SERVICE } from '../support/program.js';
import { seconds } from '../../src/platform/kernel/clock/duration.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { describeWithRedis, RedisServer } from '../support/redis-server.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

const PROCESSES = 2;
const PROMISED = seconds(1);
/** How long a process uses what it has read, unless it hears of a change. */
const CACHED = seconds(10);
/** Allows for a busy machine. */
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

/** Starts the service as the processes above, with further settings. @returns its URL */
async function start(env: Record<string, string>): Promise<string> {
  const port = await freePort();
  const settings = { DATABASE_URL: database.url, LOG_LEVEL: 'warn', PORT: String(port), ...env };
  const service = new Program(SERVICE, [], { cwd: folder.path, env: settings });
  services.push(service);
  await service.prints(/listens/);
  return `http://127.0.0.1:${port}`;
}

const ask = async (url: string, key: string) =>
  (await fetch(url, { headers: { Authorization: `Bearer ${key}` } })).status;

describeWithRedis('a process that has lost Redis', () => {
  it('refuses a key soon after its revocation', async () => {
    const redis = await RedisServer.start();
    const url = await start({ REDIS_URL: redis.url });
    const { id, key } = await create();
    const pets = () => ask(`${url}/v1/pets?limit=1`, key);
    expect(await pets()).toBe(200);
    await redis.freeze();
    expect(await pets()).toBe(200);
    await petstore('keys', 'revoke', id);
    await eventually(async () => (await pets()) === 401, SOON);
    await redis.stop();
  });
});

describe('a process that has lost PostgreSQL', () => {
  it('gives a revoked key none of its data, and refuses it once it reaches PostgreSQL again', async () => {
    const proxy = await TcpProxy.to(database.url);
    const url = await start({ DATABASE_URL: proxy.url });
    const { id, key } = await create();
    const paths = ['/v1/pets?limit=1', '/v1/store/inventory', '/v1/events', '/v1/webhooks', '/v1/key'];
    const outcomes = () => Promise.all(paths.map((path) => ask(`${url}${path}`, key)));
    expect(await outcomes()).toEqual(paths.map(() => 200));
    proxy.cut();
    await petstore('keys', 'revoke', id);
    const revoked = performance.now();
    await eventually(async () => (await ask(`${url}/v1/store/inventory`, key)) === 503); // a count is reused for a while
    expect(await outcomes()).toEqual(paths.map(() => 503));
    await eventually(() => performance.now() - revoked > CACHED);
    expect(await outcomes()).toEqual(paths.map(() => 503));
    proxy.mend();
    await eventually(async () => (await outcomes()).every((status) => status === 401));
    proxy.remove();
  });
});
