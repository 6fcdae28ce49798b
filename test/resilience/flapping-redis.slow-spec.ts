import type { QuotaSubject } from '../../src/platform/access/rate-limit/quota.js';
import type { RedisThrottlerStorage } from '../../src/platform/access/rate-limit/redis/redis-throttler.storage.js';
import { becomes, eventually } from '../support/eventually.js';
import { TestDailyUsage } from '../support/test-daily-usage.js';
import { address as addressOf, admitted, key } from '../support/quota-subjects.js';
import { RedisStorages } from '../support/redis-storages.js';
import { describeWithRedis, RedisServer } from '../support/redis-server.js';

const LIMIT = 100;
/** Requests in flight when Redis was lost may have been charged and refused. */
const FEWEST = 0.8 * LIMIT;
const FLAPS = 10;
const REPLICAS = 3;
/** Milliseconds. Short, so that Redis is lost often. */
const TIMEOUT = 50;

let ids = 7_000;
const newClient = (): QuotaSubject => key(ids++, LIMIT, 10_000);
const address = (): QuotaSubject => addressOf(`192.0.2.${ids++ % 256}`, LIMIT);
const dayLimited = (): QuotaSubject => key(ids++, 10_000, LIMIT);

describeWithRedis('a Redis that flaps', () => {
  const replicas = new RedisStorages();
  let server: RedisServer;
  let storages: RedisThrottlerStorage[];

  beforeEach(async () => {
    server = await RedisServer.start();
    storages = await Promise.all(
      Array.from({ length: REPLICAS }, () => replicas.start(server.url, { timeout: TIMEOUT })),
    );
    await eventually(() => storages.every(({ replicaCount }) => replicaCount === REPLICAS));
  });
  afterEach(async () => {
    await replicas.stop();
    replicas.usage = new TestDailyUsage();
    await server.stop();
  });

  const states = () => storages.map(({ degraded }) => (degraded ? 'alone' : 'together'));
  const lost = () => becomes(states, Array<string>(REPLICAS).fill('alone'));
  const back = () => becomes(states, Array<string>(REPLICAS).fill('together'));

  /** Every replica gets more than the limit, in its own order. */
  const press = async (client: QuotaSubject): Promise<number> => {
    const counts = await Promise.all(storages.map((storage) => admitted(storage, client, LIMIT + 10)));
    return counts.reduce((a, b) => a + b);
  };
  /** The number of requests that one replica gets between two flaps. */
  const trickle = async (client: QuotaSubject, times: number): Promise<number> => {
    const counts = await Promise.all(storages.map((storage) => admitted(storage, client, times)));
    return counts.reduce((a, b) => a + b);
  };

  const freeze = async (meanwhile: () => Promise<void>) => {
    await server.freeze();
    await meanwhile();
    await lost();
    await meanwhile();
    await server.thaw();
  };
  const restart = async (meanwhile: () => Promise<void>) => {
    await server.kill();
    await meanwhile();
    await lost();
    await meanwhile();
    await server.launch();
  };
  const restartEmpty = async (meanwhile: () => Promise<void>) => {
    await server.kill();
    await meanwhile();
    await lost();
    await server.forget();
    await meanwhile();
    await server.launch();
  };
  const flaps = [
    ['freezes', freeze, 2],
    ['restarts with its data', restart, 2],
    ['restarts without its data', restartEmpty, 3],
  ] as const;

  describe.each(flaps)('because it %s', (_name, flap, times) => {
    it(`ten times admits less than ${times} times the limits of a minute and of a day`, async () => {
      const clients = [newClient(), dayLimited(), newClient(), dayLimited()];
      const sums = clients.map(() => 0);
      const pressFor = async (some: readonly QuotaSubject[]) => {
        for (const client of some) {
          const i = clients.indexOf(client);
          sums[i] = (sums[i] ?? 0) + (await press(client));
        }
      };
      for (let i = 0; i < FLAPS; i++) {
        await flap(() => pressFor(clients));
        await back();
        await pressFor(clients.slice(2)); // the first two send requests only while Redis is unavailable
      }
      await pressFor(clients);
      for (const sum of sums) {
        expect(sum).toBeGreaterThanOrEqual(FEWEST);
        expect(sum).toBeLessThan(times * LIMIT);
      }
    });

    it('records each admitted request once', async () => {
      const client: QuotaSubject = key(ids++, 100_000, 1_000_000);
      let sum = await trickle(client, 5);
      for (let i = 0; i < 3; i++) {
        await flap(async () => {
          sum += await trickle(client, 7);
        });
        await back();
        sum += await trickle(client, 3);
      }
      await replicas.stop();
      expect(replicas.usage.total).toBe(sum);
    });
  });

  it('ten times admits less than twice the limit of an address', async () => {
    const client = address();
    let sum = 0;
    for (let i = 0; i < FLAPS; i++) {
      await restart(async () => {
        sum += await press(client);
      });
      await back();
      sum += await press(client);
    }
    expect(sum).toBeLessThan(2 * LIMIT);
  });
});
