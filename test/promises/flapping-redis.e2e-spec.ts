import { setTimeout as sleep } from 'node:timers/promises';
import type { Subject } from '../../src/rate-limit/plan-throttler.storage.js';
import type { RedisThrottlerStorage } from '../../src/rate-limit/redis/redis-throttler.storage.js';
import { eventually } from '../support/eventually.js';
import { admitted, RedisStorages } from '../support/redis-storages.js';
import { describeWithRedis, RedisServer } from '../support/redis-server.js';

const LIMIT = 100;
const FLAPS = 10;
const REPLICAS = 3;

let ids = 7_000;
const client = (): Subject => ({ id: ids++, limits: { perMinute: LIMIT, perDay: 10_000 } });
const address = (): Subject => ({ id: `192.0.2.${ids++ % 256}`, limits: { perMinute: LIMIT } });
const dayLimited = (): Subject => ({ id: ids++, limits: { perMinute: 10_000, perDay: LIMIT } });

describeWithRedis('a Redis that flaps', () => {
  const replicas = new RedisStorages();
  let server: RedisServer;
  let storages: RedisThrottlerStorage[];

  beforeEach(async () => {
    server = await RedisServer.start();
    storages = await Promise.all(Array.from({ length: REPLICAS }, () => replicas.start(server.url)));
    await eventually(() => storages.every(({ replicaCount }) => replicaCount === REPLICAS));
  });
  afterEach(async () => {
    await replicas.stop();
    await server.stop();
  });

  const lost = () => eventually(() => storages.every(({ degraded }) => degraded));
  const back = () => eventually(() => storages.every(({ degraded }) => !degraded), 15_000);

  /** Every replica gets more than the limit, in a sequence of its own. */
  const press = async (subject: Subject): Promise<number> => {
    const counts = await Promise.all(storages.map((storage) => admitted(storage, subject, LIMIT + 10)));
    return counts.reduce((a, b) => a + b);
  };
  /** As many requests as one replica gets between two flaps. */
  const trickle = async (subject: Subject, times: number): Promise<number> => {
    const counts = await Promise.all(storages.map((storage) => admitted(storage, subject, times)));
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
    ['freezes', freeze],
    ['restarts with its data', restart],
    ['restarts without its data', restartEmpty],
  ] as const;

  describe.each(flaps)('because it %s', (_name, flap) => {
    it('ten times admits less than twice the limit of a minute and of a day', async () => {
      const subjects = [client(), dayLimited(), client(), dayLimited()];
      const sums = subjects.map(() => 0);
      const pressFor = async (some: readonly Subject[]) => {
        for (const subject of some) {
          const i = subjects.indexOf(subject);
          sums[i] = (sums[i] ?? 0) + (await press(subject));
        }
      };
      for (let i = 0; i < FLAPS; i++) {
        await flap(() => pressFor(subjects));
        await back();
        await pressFor(subjects.slice(2)); // the first two send requests only while Redis is away
      }
      await pressFor(subjects);
      for (const sum of sums) {
        expect(sum).toBeGreaterThanOrEqual(LIMIT);
        expect(sum).toBeLessThan(2 * LIMIT);
      }
    });

    it('has each admitted request on record once', async () => {
      const subject: Subject = { id: ids++, limits: { perMinute: 100_000, perDay: 1_000_000 } };
      let sum = await trickle(subject, 5);
      for (let i = 0; i < 3; i++) {
        await flap(async () => {
          sum += await trickle(subject, 7);
        });
        await back();
        sum += await trickle(subject, 3);
      }
      const counted = server.command('HMGET', `petstore:{${subject.id}}`, 'n', 'u').split('\n').map(Number);
      expect(counted).toEqual([sum, sum]);
    });
  });

  it('ten times admits less than twice the limit of an address', async () => {
    const subject = address();
    let sum = 0;
    for (let i = 0; i < FLAPS; i++) {
      await restart(async () => {
        sum += await press(subject);
      });
      await back();
      sum += await press(subject);
    }
    expect(sum).toBeLessThan(2 * LIMIT);
  });

  it('for moments between the time limit of a command and the next heartbeat admits less than twice the limit', async () => {
    const subject = client();
    let sum = 0;
    for (let i = 0; i < FLAPS; i++) {
      await server.freeze();
      sum += await press(subject); // ends when the commands have timed out
      await server.thaw();
      sum += await press(subject);
      await sleep(20 * i); // another moment of the heartbeat each time
    }
    await back();
    sum += await press(subject);
    expect(sum).toBeLessThan(2 * LIMIT);
  });

  it.each([0, 1])('at any moment of steady load admits less than twice the limit (%d)', async (seed) => {
    const subject = client();
    let isOver = false;
    let sum = 0;
    const load = Promise.all(
      storages.map(async (storage, i) => {
        while (!isOver) {
          sum += await admitted(storage, subject, 1 + i);
          await sleep(5 * i);
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
    sum += await press(subject);
    expect(sum).toBeGreaterThan(0.8 * LIMIT); // what was on its way may have been charged and refused
    expect(sum).toBeLessThan(2 * LIMIT);
  });

  it('under steady load comes back each time', async () => {
    const subject: Subject = { id: ids++, limits: { perMinute: 1_000_000, perDay: 10_000_000 } };
    let isOver = false;
    const load = Promise.all(
      storages.map(async (storage) => {
        while (!isOver) {
          await admitted(storage, subject, 10);
          await sleep(1);
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

  it('does not let a replica forget the others', async () => {
    await restartEmpty(() => Promise.resolve());
    await Promise.race(storages.map((storage) => eventually(() => !storage.degraded)));
    for (const { replicaCount } of storages) expect(replicaCount).toBe(REPLICAS);
  });
});
