import { setTimeout as sleep } from 'node:timers/promises';
import type { RateLimitClient } from '../../src/rate-limit/rate-limit.result.js';
import type { RedisThrottlerStorage } from '../../src/rate-limit/redis/redis-throttler.storage.js';
import { becomes, eventually } from '../support/eventually.js';
import { TestDailyUsage } from '../support/test-daily-usage.js';
import { admitted, RedisStorages } from '../support/redis-storages.js';
import { describeWithRedis, RedisServer } from '../support/redis-server.js';

const LIMIT = 100;
/** Requests in flight when Redis was lost may have been charged and refused. */
const FEWEST = 0.8 * LIMIT;
const FLAPS = 10;
const REPLICAS = 3;
/** Milliseconds. Short, so that Redis is lost often. */
const TIMEOUT = 50;

let ids = 7_000;
const newClient = (): RateLimitClient => ({ id: ids++, limits: { perMinute: LIMIT, perDay: 10_000 } });
const address = (): RateLimitClient => ({ id: `192.0.2.${ids++ % 256}`, limits: { perMinute: LIMIT } });
const dayLimited = (): RateLimitClient => ({ id: ids++, limits: { perMinute: 10_000, perDay: LIMIT } });

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
  const press = async (client: RateLimitClient): Promise<number> => {
    const counts = await Promise.all(storages.map((storage) => admitted(storage, client, LIMIT + 10)));
    return counts.reduce((a, b) => a + b);
  };
  /** The number of requests that one replica gets between two flaps. */
  const trickle = async (client: RateLimitClient, times: number): Promise<number> => {
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
      const pressFor = async (some: readonly RateLimitClient[]) => {
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
      const client: RateLimitClient = { id: ids++, limits: { perMinute: 100_000, perDay: 1_000_000 } };
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

  it('between a command timeout and the next heartbeat admits less than twice the limit', async () => {
    const client = newClient();
    let sum = 0;
    for (let i = 0; i < FLAPS; i++) {
      await server.freeze();
      sum += await press(client); // ends when the commands have timed out
      await server.thaw();
      sum += await press(client);
      await sleep(20 * i); // at a different point of the heartbeat each time
    }
    await back();
    sum += await press(client);
    expect(sum).toBeLessThan(2 * LIMIT);
  });

  it.each([0, 1])('at any moment of steady load admits less than twice the limit (%d)', async (seed) => {
    const client = newClient();
    let isOver = false;
    let sum = 0;
    const load = Promise.all(
      storages.map(async (storage, i) => {
        while (!isOver) {
          sum += await admitted(storage, client, 1 + i);
          await sleep(5 + 5 * i);
        }
      }),
    );
    for (let i = 0; i < FLAPS; i++) {
      await server.freeze();
      await sleep(60 + ((seed * 37 + i * 53) % 400));
      await server.thaw();
      await sleep((seed * 91 + i * 171) % 900);
    }
    isOver = true;
    await load;
    await back();
    sum += await press(client);
    expect(sum).toBeGreaterThanOrEqual(FEWEST);
    expect(sum).toBeLessThan(2 * LIMIT);
  });

  it('under steady load is used again each time', async () => {
    const client: RateLimitClient = { id: ids++, limits: { perMinute: 1_000_000, perDay: 10_000_000 } };
    let isOver = false;
    const load = Promise.all(
      storages.map(async (storage) => {
        while (!isOver) {
          await admitted(storage, client, 10);
          await sleep(5); // leaves time for other work on the machine
        }
      }),
    );
    for (let i = 0; i < 3; i++) {
      await server.freeze();
      await lost();
      await server.thaw();
      await back();
    }
    isOver = true;
    await load;
  });

  it('does not make a replica forget the others', async () => {
    await restartEmpty(() => Promise.resolve());
    await Promise.race(storages.map((storage) => eventually(() => !storage.degraded)));
    for (const { replicaCount } of storages) expect(replicaCount).toBe(REPLICAS);
  });
});
