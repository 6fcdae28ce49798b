import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiKeysService } from '../../src/auth/api-keys.service.js';
import { freePort } from '../support/free-port.js';
import { Petstore } from '../support/petstore.js';
import { Program, SERVICE } from '../support/program.js';

const PER_DAY = 1000;

/** The rest of the day as the service itself says it, in real processes that are stopped in every way. */
describe('the day of a key', () => {
  let petstore: Petstore;
  let key: string;
  let cwd: string;
  let port: number;

  beforeAll(async () => {
    petstore = await Petstore.start(); // for its database and a key in it
    ({ secret: key } = await petstore.app
      .get(ApiKeysService)
      .create({ name: 'durable', plan: 'enterprise', limits: { perMinute: 1_000_000, perDay: PER_DAY } }));
    cwd = await mkdtemp(join(tmpdir(), 'petstore-days-'));
    port = await freePort();
  });
  afterAll(async () => {
    await petstore.stop();
    await rm(cwd, { recursive: true });
  });

  async function used(): Promise<number> {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/pets?limit=1`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    const remaining = /"day";r=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1];
    return PER_DAY - Number(remaining);
  }

  /** Starts the service, sends some requests, and ends it. @returns what was used before and after */
  async function life(requests: number, signal: NodeJS.Signals): Promise<{ first: number; last: number }> {
    const env = {
      DATABASE_URL: petstore.databaseUrl,
      PORT: String(port),
      LOG_LEVEL: 'silent',
      SHUTDOWN_GRACE_SECONDS: '0',
    };
    const service = new Program(SERVICE, [], { cwd, env });
    await service.prints(/listens/);
    const first = await used();
    let last = first;
    for (let i = 1; i < requests; i++) last = await used();
    service.signal(signal);
    await service.ended;
    return { first, last };
  }

  it('never gets fresh when the service is killed, and loses at most 1.5 % each time', async () => {
    let before = 0;
    for (let i = 0; i < 3; i++) {
      const { first, last } = await life(23, 'SIGKILL');
      expect(first).toBeGreaterThan(before);
      expect(first - before).toBeLessThanOrEqual(1 + PER_DAY * 0.015);
      expect(last).toBe(first + 22);
      before = last;
    }
  }, 30_000);

  it('goes on with the exact count when the service is stopped by SIGTERM', async () => {
    const { last } = await life(7, 'SIGTERM');
    expect((await life(7, 'SIGTERM')).first).toBe(last + 1);
  }, 30_000);
});
