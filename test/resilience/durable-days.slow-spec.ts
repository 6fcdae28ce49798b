import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TcpProxy } from '../support/tcp-proxy.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { PostgresServer } from '../support/postgres-server.js';
import { COMMAND_LINE, Program, run, SERVICE } from '../support/program.js';
import { createTestDatabase, type TestDatabase, withClient } from '../support/test-database.js';

const PER_DAY = 1000;

/** The remaining daily quota reported by real processes that are stopped in various ways. */
describe('the daily count of a key', () => {
  let database: TestDatabase;
  let proxy: TcpProxy;
  let key: string;
  let cwd: string;
  let port: number;
  let service: Program;

  beforeAll(async () => {
    database = await createTestDatabase();
    cwd = await mkdtemp(join(tmpdir(), 'petstore-days-'));
    port = await freePort();
  });
  afterAll(async () => {
    await database.drop();
    await rm(cwd, { recursive: true });
  });
  beforeEach(async () => {
    proxy = await TcpProxy.to(database.url);
    key = await newKey(database.url);
  });
  afterEach(() => {
    proxy.remove();
  });

  async function newKey(url: string): Promise<string> {
    const limits = ['--per-minute', '1000000', '--per-day', String(PER_DAY)];
    const args = ['keys', 'create', '--plan', 'enterprise', '--name', 'durable', ...limits, '--json'];
    const { stdout } = await run(COMMAND_LINE, args, { cwd, env: { DATABASE_URL: url } });
    return (JSON.parse(stdout) as { key: string }).key;
  }

  async function begin(url: string): Promise<void> {
    const env = { DATABASE_URL: url, PORT: String(port), LOG_LEVEL: 'warn' };
    service = new Program(SERVICE, [], { cwd, env });
    await service.prints(/listens/);
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    service.signal(signal);
    await service.ended;
  }

  /** Sends the given number of requests. @returns how much of the daily quota is then used */
  async function used(requests = 1): Promise<number> {
    for (let i = 1; i < requests; i++) await used();
    const response = await fetch(`http://127.0.0.1:${port}/v1/pets?limit=1`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    const remaining = /"day";r=(\d+)/.exec(response.headers.get('ratelimit') ?? '')?.[1];
    return PER_DAY - Number(remaining);
  }

  const onRecord = (url: string) =>
    withClient(url, async (client) => {
      const { rows } = await client.query<{ requests: string }>(
        'SELECT sum(requests) AS requests FROM api_key_usage_by_writer GROUP BY key_id ORDER BY key_id DESC LIMIT 1',
      );
      return Number(rows[0]?.requests ?? 0);
    });

  it('includes everything recorded before the service is killed: once a second', async () => {
    let before = 0;
    for (let i = 0; i < 3; i++) {
      await begin(database.url);
      const first = await used();
      expect(first).toBe(before + 1);
      before = await used(22);
      expect(before).toBe(first + 22);
      await eventually(async () => (await onRecord(database.url)) === before);
      await end('SIGKILL');
    }
  });

  it('continues with the exact count after SIGTERM', async () => {
    await begin(database.url);
    expect(await used(7)).toBe(7);
    await end('SIGTERM');
    await begin(database.url);
    expect(await used()).toBe(8);
    await end('SIGTERM');
  });

  it('includes, after SIGTERM, what was admitted while PostgreSQL was unavailable', async () => {
    await begin(proxy.url);
    await used(5);
    proxy.cut();
    expect(await used(200)).toBe(205);
    proxy.mend();
    await end('SIGTERM');
    expect(await onRecord(database.url)).toBe(205);
  });

  it('includes each request once after a freeze, although timed-out statements run afterwards', async () => {
    const server = await PostgresServer.start();
    try {
      key = await newKey(server.url);
      await begin(server.url);
      await used(5);
      await server.freeze();
      const total = await used(4); // each waits for PostgreSQL and gets a 503
      expect(total).toBe(9);
      await server.thaw();
      await eventually(async () => (await onRecord(server.url)) >= total);
      await end('SIGTERM');
      expect(await onRecord(server.url)).toBe(total);
    } finally {
      await server.stop();
    }
  });
});
