import { setImmediate } from 'node:timers/promises';
import { describeStorage } from '../../../../../test/support/throttler-storage-conformance.js';
import { becomes, eventually } from '../../../../../test/support/eventually.js';
import { farFromMidnight } from '../../../../../test/support/midnight.js';
import { address, admitted, count, key } from '../../../../../test/support/quota-subjects.js';
import { RedisStorages } from '../../../../../test/support/redis-storages.js';
import { describeWithRedis, RedisServer } from '../../../../../test/support/redis-server.js';
import { TestDailyUsage } from '../../../../../test/support/test-daily-usage.js';
import { TestClock } from '../../../../../test/support/test-clock.js';
import { days, minutes, seconds } from '../../../kernel/clock/duration.js';
import { Clock } from '../../../kernel/clock/clock.js';
import type { QuotaSubject } from '../quota.js';
import type { RedisThrottlerStorage } from './redis-throttler.storage.js';
import { PREFIX } from '../../../../../test/support/prefix.js';

let server: RedisServer;

beforeEach(farFromMidnight);
const replicas = new RedisStorages();

afterEach(async () => {
  await replicas.stop();
  replicas.usage = new TestDailyUsage();
  replicas.days.ahead = 0;
});

/**
 * Allows a longer timeout for tests that need Redis to respond in time, because other tests run in parallel.
 */
let timeout: number | undefined;
const start = (
  url = server.url,
  env: Record<string, string> = {},
  clock = new Clock(),
): Promise<RedisThrottlerStorage> => replicas.start(url, { env, clock, timeout });
const printedMetrics = () => replicas.metrics.registry.metrics();

const clientWith = (perMinute: number, perDay = 1_000_000): QuotaSubject =>
  key(Math.floor(Math.random() * 1e12), perMinute, perDay);

/** How many commands about a client Redis gets meanwhile. */
const commandsOf = async (client: QuotaSubject, work: () => Promise<unknown>): Promise<number> =>
  (await server.commandsDuring(work)).filter((command) => command.includes(`{${client.id}}`)).length;

/** How many requests of the minute all replicas together have counted, as a further one is told. */
const usedBy = async (client: QuotaSubject): Promise<number> => {
  const { windows } = await (await start()).peek(client);
  return client.limit - (windows[0]?.remaining ?? NaN);
};

describeWithRedis('quotas in Redis', () => {
  beforeAll(async () => {
    timeout = minutes(1);
    server = await RedisServer.start();
  });
  afterAll(async () => {
    timeout = undefined;
    await server.stop();
  });

  describeStorage('Redis', async () => {
    const clock = new TestClock();
    const storage = await start(server.url, {}, clock);
    return {
      storage,
      margin: seconds(25), // Redis counts real time, of which a busy machine takes some for each step
      advance: (milliseconds) => {
        clock.advance(milliseconds);
        server.age(milliseconds);
        return Promise.resolve();
      },
      nextDay: () => {
        clock.advance(24 * minutes(60));
        for (const key of server.command('KEYS', `${PREFIX}:{[0-9]*`).split('\n')) server.moveDays(key, -1);
        replicas.days.ahead -= 1;
        server.age(minutes(1));
        return Promise.resolve();
      },
    };
  });

  it('are exact over four replicas', async () => {
    const replicas = await Promise.all([start(), start(), start(), start()]);
    const client = clientWith(300);
    const counts = await Promise.all(replicas.map((replica) => admitted(replica, client, 200)));
    expect(counts.reduce((a, b) => a + b)).toBe(300);
  });

  it('cost one command for each request', async () => {
    const storage = await start();
    const client = clientWith(1000);
    await admitted(storage, client, 1);
    await admitted(storage, client, 50); // the first call loads each script
    expect(await commandsOf(client, () => admitted(storage, client, 50))).toBe(50);
  });

  it('do not treat Redis as lost if the service was too busy to read a response', async () => {
    const storage = replicas.make(server.url, { timeout: seconds(2) });
    await storage.open();
    const client = clientWith(1000);
    await count(storage, client);
    const decided = count(storage, client);
    await setImmediate(); // the command has been sent
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, seconds(2.1)); // longer than the command timeout
    server.command('PING'); // Redis has responded to the command before
    expect((await decided).admitted).toBe(true);
    expect(storage.degraded).toBe(false);
  });

  it('need no command for a caller known to be exhausted', async () => {
    const storage = await start();
    const client = clientWith(10);
    expect(await admitted(storage, client, 11)).toBe(10);
    const commands = await commandsOf(client, async () => {
      expect(await admitted(storage, client, 1000)).toBe(0);
    });
    expect(commands).toBe(0);
  });

  it('need one command a minute for a banned caller', async () => {
    const clock = new TestClock();
    const storage = await start(server.url, {}, clock);
    const client = clientWith(3);
    for (let i = 0; i < 2; i++) await count(storage, client);
    const peekOften = async () => {
      for (let i = 0; i < 10; i++) await storage.peek(client, true);
      return storage.peek(client, true);
    };
    const commands = await commandsOf(client, async () => {
      expect(await peekOften()).toMatchObject({ windows: [{ remaining: 1 }, {}] });
      clock.advance(minutes(1));
      server.age(minutes(1));
      expect(await peekOften()).toMatchObject({ windows: [{ remaining: 3 }, {}] });
    });
    expect(commands).toBe(2);
    expect(await count(storage, client)).toMatchObject({ admitted: true, windows: [{ remaining: 2 }, {}] });
  });

  it('do not depend on the clocks of the replicas', async () => {
    const [fast, slow] = [new TestClock(Date.now() + 10_000), new TestClock(Date.now() - 10_000)];
    const replicas = await Promise.all([start(server.url, {}, fast), start(server.url, {}, slow), start()]);
    const client = clientWith(100);
    const counts = await Promise.all(replicas.map((replica) => admitted(replica, client, 60)));
    expect(counts.reduce((a, b) => a + b)).toBe(100);
  });

  it('use the right day when the clock of Redis jumps a day ahead and back', async () => {
    const clock = new TestClock();
    const storage = await start(server.url, {}, clock);
    const client = clientWith(1000, 5);
    const day = (by: 1 | -1) => {
      server.moveDays(`${PREFIX}:{${client.id}}`, by);
      replicas.days.ahead += by;
      clock.advance(days(1)); // otherwise the replica would still know the window
    };
    expect(await admitted(storage, client, 3)).toBe(3);
    day(-1); // makes the stored day yesterday, as if the clock had jumped ahead
    expect(await admitted(storage, client, 3)).toBe(3);
    day(1); // and back: the stored day is now tomorrow
    expect(await admitted(storage, client, 3)).toBe(2); // three requests of this day were used before
    const { windows } = await count(storage, client);
    expect(windows[1]?.resetIn).toBeLessThanOrEqual(days(1));
  });

  it('survive SCRIPT FLUSH', async () => {
    const storage = await start();
    const client = clientWith(100);
    await admitted(storage, client, 40);
    server.command('SCRIPT', 'FLUSH');
    expect(await admitted(storage, client, 100)).toBe(60);
    expect(storage.degraded).toBe(false);
  });

  it('forget an address after two of its minutes', async () => {
    const storage = await start();
    server.command('FLUSHALL');
    await count(storage, address('192.0.2.1'));
    const [table = ''] = server.command('KEYS', `${PREFIX}:{addresses:*`).split('\n');
    expect(Number(server.command('PTTL', table))).toBeLessThanOrEqual(minutes(2));
  });

  it('hold at most ANONYMOUS_ADDRESSES, whichever networks requests come from', async () => {
    server.command('FLUSHALL');
    const replicas = await Promise.all([1, 2].map(() => start(server.url, { ANONYMOUS_ADDRESSES: '400' })));
    for (let i = 0; i < 3_000; i += 100) {
      const networks = Array.from({ length: 100 }, (_, n) => `2001:db8:${(i + n).toString(16)}::`);
      for (const storage of replicas) {
        await Promise.all(networks.map(async (id) => count(storage, address(id))));
      }
      expect(server.addresses()).toBeLessThanOrEqual(400);
    }
    expect(server.addresses()).toBeGreaterThan(100);
    expect(await admitted(await start(), address('2001:db8:ffff::'), 50)).toBe(30);
  });

  it('let every stored key expire', async () => {
    const storage = await start();
    const client = clientWith(10);
    await admitted(storage, client, 1);
    const ttl = Number(server.command('PTTL', `${PREFIX}:{${client.id}}`));
    expect(ttl).toBeGreaterThan(minutes(60 * 24));
    expect(ttl).toBeLessThanOrEqual(minutes(60 * 48));
  });
});

describeWithRedis('the database that the URL names', () => {
  it('is the one in which the service counts, or it counts without Redis until it may select it', async () => {
    const server = await RedisServer.start();
    server.command('ACL', 'SETUSER', 'limited', 'on', '>x', `~${PREFIX}:*`, '+@all', '-select');
    const storage = await replicas.start(`redis://limited:x@127.0.0.1:${server.port}/2`, {
      timeout: minutes(1),
    });
    expect(storage.degraded).toBe(true);
    await admitted(storage, key(7, 10, 1_000), 3);
    expect(server.command('DBSIZE')).toBe('0');
    server.command('ACL', 'SETUSER', 'limited', '+select');
    await eventually(() => !storage.degraded);
    await admitted(storage, key(7, 10, 1_000), 3);
    expect(server.command('DBSIZE')).toBe('0');
    expect(server.command('-n', '2', 'EXISTS', `${PREFIX}:{7}`)).toBe('1');
    await replicas.stop();
    await server.stop();
  });
});

describeWithRedis('quotas while Redis is unavailable', () => {
  beforeEach(async () => {
    timeout = minutes(1); // a killed Redis fails a command at once
    server = await RedisServer.start(['--appendfsync', 'always']);
  });
  afterEach(async () => {
    timeout = undefined;
    await server.stop();
  });
  /** A replica that waits for a frozen Redis no longer than in production. */
  const startImpatient = () => replicas.start(server.url);

  it('continue with the share of one replica when Redis is killed, and are exact again when it is back', async () => {
    const [one, other] = await Promise.all([start(), start()]);
    await eventually(() => one.replicaCount === 2);
    const client = clientWith(100);
    expect(await admitted(one, client, 20)).toBe(20);
    await server.kill();
    await eventually(() => one.degraded);
    const alone = await admitted(one, client, 100);
    expect(alone).toBe(50); // half of the limit
    await server.launch();
    await eventually(() => !one.degraded && !other.degraded);
    expect(await admitted(other, client, 100)).toBe(80);
  });

  it('wait once for a frozen Redis, not for every request', async () => {
    const storage = await startImpatient();
    const client = clientWith(1000);
    await admitted(storage, client, 1);
    await server.freeze();
    await count(storage, client);
    expect(storage.degraded).toBe(true);
    expect(await admitted(storage, client, 100)).toBe(100);
    expect(storage.degraded).toBe(true);
    await server.thaw();
    await eventually(() => !storage.degraded);
    expect(await usedBy(client)).toBeLessThanOrEqual(2); // of those that were sent, all have run by now
  });

  it('never repeat a command, and do not report to Redis what was admitted without it', async () => {
    const storage = await startImpatient();
    const client = clientWith(1000);
    await admitted(storage, client, 10);
    await server.freeze();
    await admitted(storage, client, 5); // these time out, and may run when Redis resumes
    await admitted(storage, client, 30); // these are counted only in this replica
    await server.thaw();
    await eventually(() => !storage.degraded);
    expect(await usedBy(client)).toBeLessThanOrEqual(15);
  });

  it('fail no request in a burst while Redis restarts, and record each admitted request once', async () => {
    const storage = await start();
    const client = clientWith(100_000);
    let sent = 0;
    const burst = async (until: () => boolean) => {
      while (!until()) {
        sent += await admitted(storage, client, 20);
        await setImmediate();
      }
    };
    let back = false;
    const load = burst(() => back);
    await server.kill();
    await eventually(() => storage.degraded);
    await server.launch();
    await eventually(() => !storage.degraded);
    back = true;
    await load;
    await replicas.stop();
    expect(replicas.usage.total).toBe(sent);
  });

  it('start the day with the recorded count when Redis has lost its data', async () => {
    const [one, other] = await Promise.all([start(), start()]);
    const client = clientWith(1000, 100);
    expect(await admitted(one, client, 40)).toBe(40);
    expect(await admitted(other, client, 20)).toBe(20);
    await becomes(() => replicas.usage.total >= 60, true);
    server.command('FLUSHALL');
    expect(await admitted(one, client, 100)).toBe(40);
    expect(await admitted(other, client, 100)).toBe(0);
  });

  it('start the day so even if the first read of the recorded count fails', async () => {
    const [one, other] = await Promise.all([start(), start()]);
    const client = clientWith(1000, 100);
    expect(await admitted(one, client, 40)).toBe(40);
    expect(await admitted(other, client, 20)).toBe(20);
    await becomes(() => replicas.usage.total >= 60, true);
    server.command('FLUSHALL');
    replicas.usage.away = true;
    expect(await admitted(one, client, 1)).toBe(1);
    expect([one.degraded, other.degraded]).toEqual([false, false]);
    replicas.usage.away = false;
    await becomes(() => replicas.usage.total >= 61, true); // it has been written, so reads are tried again
    expect((await admitted(one, client, 100)) + (await admitted(other, client, 100))).toBe(39);
  });

  it('stay exact on a day that begins while PostgreSQL is unavailable', async () => {
    const [one, other] = await Promise.all([start(), start()]);
    const client = clientWith(1000, 100);
    expect(await admitted(one, client, 40)).toBe(40);
    expect(await admitted(other, client, 20)).toBe(20);
    replicas.usage.away = true;
    for (const key of server.command('KEYS', `*{${client.id}}*`).split('\n')) server.moveDays(key, -1);
    replicas.days.ahead -= 1;
    expect(await admitted(one, client, 70)).toBe(70);
    expect(await admitted(other, client, 70)).toBe(30);
  });

  it('start without Redis and connect to it later', async () => {
    await server.kill();
    const storage = await start();
    expect((await count(storage, clientWith(10))).admitted).toBe(true);
    expect(storage.degraded).toBe(true);
    expect(await printedMetrics()).toMatch(
      new RegExp(`${PREFIX}_redis_up 0\\n[^]*${PREFIX}_redis_lost_total 1\\n`),
    );
    await server.launch();
    await eventually(() => !storage.degraded);
    await eventually(async () => (await printedMetrics()).includes(`${PREFIX}_redis_up 1\n`));
  });

  it('do not say that Redis is up while it is nearly full, and refuses one client after the other', async () => {
    const clock = new TestClock();
    const storage = await start(server.url, {}, clock);
    for (let losses = 1; losses <= 3; losses++) {
      server.command('CONFIG', 'SET', 'maxmemory', '1');
      await eventually(() => storage.degraded);
      server.command('CONFIG', 'SET', 'maxmemory', '0');
      await eventually(() => !storage.degraded);
      expect(await printedMetrics()).toMatch(
        new RegExp(`${PREFIX}_redis_up 0\\n[^]*${PREFIX}_redis_lost_total ${losses}\\n`),
      );
      clock.advance(seconds(4.9));
    }
    clock.advance(seconds(0.1));
    await eventually(async () => (await printedMetrics()).includes(`${PREFIX}_redis_up 1\n`));
  });
});
