import { jest } from '@jest/globals';
import fc from 'fast-check';
import { setTimeout } from 'node:timers/promises';
import { describeStorage } from '../../../test/support/throttler-storage-conformance.js';
import { eventually } from '../../../test/support/eventually.js';
import { TestClock } from '../../../test/support/test-clock.js';
import { type Outcome, TestDailyUsage } from '../../../test/support/test-daily-usage.js';
import { days, hours, minutes, seconds } from '../../kernel/clock/duration.js';
import type { ClientId, RateLimitClient, RateLimitResult } from '../rate-limit.result.js';
import { UsageRecorder } from '../daily-usage/usage-recorder.js';
import { MemoryThrottlerStorage } from './memory-throttler.storage.js';

function start(usage = new TestDailyUsage(), clock = new TestClock()) {
  const recorder = new UsageRecorder(clock, usage);
  const storage = new MemoryThrottlerStorage(clock, recorder, { maxAnonymousAddresses: 1_000 });
  return { storage, clock, usage, recorder };
}

describeStorage('memory', () => {
  const { storage, clock } = start();
  return Promise.resolve({
    storage,
    margin: 1,
    advance: (milliseconds) => {
      clock.advance(milliseconds);
      return Promise.resolve();
    },
    nextDay: () => {
      clock.advance(hours(12));
      return Promise.resolve();
    },
  });
});

const FREE: RateLimitClient = { id: 1, limits: { perMinute: 60, perDay: 1000 } };

async function admitted(
  storage: MemoryThrottlerStorage,
  client: RateLimitClient,
  times: number,
): Promise<number> {
  let count = 0;
  for (let i = 0; i < times; i++) if ((await storage.consume(client)).admitted) count += 1;
  return count;
}

describe('the memory storage when the clock changes', () => {
  it('does not extend a minute when the wall clock steps back', async () => {
    const { storage, clock } = start();
    await admitted(storage, FREE, 61);
    clock.step(-hours(1));
    clock.advance(minutes(1) - 1);
    expect((await storage.consume(FREE)).admitted).toBe(false);
    clock.advance(1);
    expect((await storage.consume(FREE)).admitted).toBe(true);
  });

  it('reports the same reset for as long as a window runs', async () => {
    const wall = Date.UTC(2027, 0, 15, 12);
    const clock = new TestClock(wall);
    const { storage } = start(new TestDailyUsage(), clock);
    jest.spyOn(clock, 'now').mockImplementation(() => Math.floor(wall + clock.elapsed() - 1_000_000));
    const resets = async () =>
      (await storage.consume(FREE)).windows.map(({ resetAt }) => Math.ceil(resetAt / 1000));
    const first = await resets();
    for (let i = 0; i < 59; i++) {
      clock.advance(i / 7); // the two clocks reach the next millisecond at different times
      expect(await resets()).toEqual(first);
    }
    expect((first[1] ?? 0) % 86_400).toBe(0);
  });

  it('does not shorten a minute when the wall clock steps forward', async () => {
    const { storage, clock } = start();
    await admitted(storage, FREE, 61);
    clock.step(hours(1));
    expect((await storage.consume(FREE)).admitted).toBe(false);
  });

  it('does not return to the previous day when the wall clock steps back over midnight', async () => {
    const { storage, clock } = start();
    const client = { id: 1, limits: { perMinute: 1000, perDay: 5 } };
    expect(await admitted(storage, client, 10)).toBe(5);
    clock.advance(hours(12));
    expect(await admitted(storage, client, 10)).toBe(5);
    clock.step(-seconds(10));
    expect(await admitted(storage, client, 10)).toBe(0);
    clock.advance(seconds(10));
    expect(await admitted(storage, client, 10)).toBe(0);
  });

  it('starts a new day exactly at midnight', async () => {
    const clock = new TestClock(Date.UTC(2027, 0, 15, 23, 59, 59, 998));
    const { storage } = start(new TestDailyUsage(), clock);
    const client = { id: 1, limits: { perMinute: 1000, perDay: 1 } };
    expect(await admitted(storage, client, 2)).toBe(1);
    clock.advance(1);
    expect(await admitted(storage, client, 1)).toBe(0);
    clock.advance(1);
    expect(await admitted(storage, client, 2)).toBe(1);
  });

  it('uses the right day and Retry-After when the clock jumps a day ahead and back', async () => {
    const { storage, clock } = start();
    const client = { id: 1, limits: { perMinute: 1000, perDay: 5 } };
    expect(await admitted(storage, client, 3)).toBe(3);
    clock.step(days(1));
    expect(await admitted(storage, client, 10)).toBe(5); // counted for the wrong day
    clock.advance(minutes(10));
    clock.step(-days(1));
    expect(await admitted(storage, client, 10)).toBe(2); // left for this day
    const [, day] = (await storage.consume(client)).windows;
    expect(day?.resetIn).toBeLessThanOrEqual(hours(24));
    clock.advance((day?.resetIn ?? 0) - 1);
    expect(await admitted(storage, client, 1)).toBe(0);
    clock.advance(1);
    expect(await admitted(storage, client, 1)).toBe(0); // already used while the clock was ahead
    expect((await storage.consume(client)).windows[1]?.resetIn).toBe(days(1));
  });

  it('continues a running minute over midnight', async () => {
    const clock = new TestClock(Date.UTC(2027, 0, 15, 23, 59, 50));
    const { storage } = start(new TestDailyUsage(), clock);
    await admitted(storage, FREE, 60);
    clock.advance(seconds(20));
    expect((await storage.consume(FREE)).admitted).toBe(false);
    clock.advance(seconds(40));
    expect((await storage.consume(FREE)).admitted).toBe(true);
  });
});

describe('the memory storage and the recorded daily counts', () => {
  const HEAVY: RateLimitClient = { id: 7, limits: { perMinute: 1_000_000, perDay: 1000 } };

  it('waits only for the first request of a day', async () => {
    const { storage } = start();
    await storage.consume(HEAVY);
    expect(storage.consume(HEAVY)).not.toBeInstanceOf(Promise);
  });

  it('resumes after a kill with everything recorded before', async () => {
    const usage = new TestDailyUsage();
    for (let life = 0; life < 20; life++) {
      const { storage, recorder } = start(usage);
      await admitted(storage, HEAVY, 37);
      await recorder.write();
      await admitted(storage, HEAVY, 3); // lost
    }
    expect(await admitted(start(usage).storage, HEAVY, 2000)).toBe(1000 - 20 * 37);
  });

  it('resumes after a clean stop with the exact count', async () => {
    const usage = new TestDailyUsage();
    for (let life = 0; life < 10; life++) {
      const { storage } = start(usage);
      expect(await admitted(storage, HEAVY, 37)).toBe(37);
      await storage.close();
    }
    expect(await admitted(start(usage).storage, HEAVY, 2000)).toBe(1000 - 370);
  });

  it('reads the recorded count of the day on a peek', async () => {
    const usage = new TestDailyUsage();
    const first = start(usage).storage;
    await admitted(first, HEAVY, 37);
    await first.close();
    expect((await start(usage).storage.peek(HEAVY)).windows[1]?.remaining).toBe(1000 - 37);
  });

  it('keeps counting while PostgreSQL is unavailable, and records the counts afterwards', async () => {
    const { storage, usage } = start();
    await admitted(storage, HEAVY, 5);
    usage.away = true;
    expect(await admitted(storage, HEAVY, 100)).toBe(100);
    usage.away = false;
    await eventually(() => usage.total >= 105); // recorded automatically
    expect(await admitted(storage, HEAVY, 2000)).toBe(1000 - 105);
  });

  it.each<[string, Outcome]>([
    ['did not run', 'fails'],
    ['ran, but was not acknowledged', 'lost'],
    ['runs late', 'late'],
  ])('records every request once when a statement %s', async (_, outcome) => {
    const { storage, usage, recorder } = start();
    await admitted(storage, HEAVY, 5);
    usage.outcome = () => outcome;
    expect(await admitted(storage, HEAVY, 100)).toBe(100);
    await recorder.write();
    usage.outcome = () => 'runs';
    await admitted(storage, HEAVY, 7);
    await storage.close();
    usage.thaw();
    expect(usage.total).toBe(112);
  });

  it('records on shutdown what was used while PostgreSQL was unavailable', async () => {
    const { storage, usage } = start();
    await admitted(storage, HEAVY, 5);
    usage.away = true;
    await admitted(storage, HEAVY, 500);
    usage.away = false;
    await storage.close();
    expect(usage.total).toBe(505);
  });

  it('keeps trying for a while if PostgreSQL is unavailable during shutdown', async () => {
    const { storage, usage } = start();
    await admitted(storage, HEAVY, 5);
    usage.away = true;
    await admitted(storage, HEAVY, 500);
    const stopped = storage.close();
    await setTimeout(seconds(0.5)); // real time, during which it retries
    usage.away = false;
    await stopped;
    expect(usage.total).toBe(505);
  });

  it('also records a day that ended in the meantime', async () => {
    const { storage, usage, clock } = start();
    await admitted(storage, HEAVY, 5);
    usage.away = true;
    await admitted(storage, HEAVY, 500);
    clock.advance(days(1));
    await admitted(storage, HEAVY, 7);
    usage.away = false;
    await storage.close();
    expect(usage.counts).toEqual([505, 7]);
  });

  it('has recorded exactly the admitted requests after any sequence of failures', async () => {
    const outcome = fc.constantFrom<Outcome>('runs', 'runs', 'runs', 'fails', 'lost', 'late');
    await fc.assert(
      fc.asyncProperty(
        fc.array(outcome, { maxLength: 60 }),
        fc.array(fc.record({ life: fc.nat({ max: 300 }), thaw: fc.boolean() }), {
          minLength: 1,
          maxLength: 4,
        }),
        async (sequence, lives) => {
          const outcomes = [...sequence];
          const usage = new TestDailyUsage();
          usage.outcome = () => outcomes.shift() ?? 'runs';
          let total = 0;
          for (const { life, thaw } of lives) {
            const { storage } = start(usage);
            total += await admitted(storage, { id: 7, limits: { perMinute: 1e6, perDay: 500 } }, life);
            if (thaw) usage.thaw();
            usage.outcome = () => 'runs'; // or a shutdown takes its full timeout
            await storage.close();
            usage.outcome = () => outcomes.shift() ?? 'runs';
          }
          usage.thaw();
          expect(usage.total).toBe(total);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('reads earlier usage as soon as PostgreSQL is back', async () => {
    const usage = new TestDailyUsage();
    const first = start(usage).storage;
    await admitted(first, HEAVY, 900);
    await first.close();
    usage.away = true;
    const { storage, recorder } = start(usage);
    await admitted(storage, HEAVY, 20);
    usage.away = false;
    await recorder.write();
    expect(await admitted(storage, HEAVY, 2000)).toBe(80);
  });
});

describe('the memory use of the memory storage', () => {
  it('forgets addresses some time after their last request', async () => {
    const { storage, clock } = start();
    for (let i = 0; i < 400; i++) await storage.consume({ id: `10.0.0.${i}`, limits: { perMinute: 30 } });
    expect(storage.size).toBe(400);
    for (let i = 0; i < 3; i++) {
      clock.advance(minutes(1));
      await storage.consume({ id: 'last', limits: { perMinute: 30 } });
    }
    expect(storage.size).toBeLessThanOrEqual(2);
  });

  it('never exceeds the maximum number of addresses', async () => {
    const { storage } = start();
    for (let i = 0; i < 20_000; i++)
      await storage.consume({ id: `2001:db8:${i}::`, limits: { perMinute: 30 } });
    expect(storage.size).toBeLessThanOrEqual(1000);
  });

  it('forgets keys a day or two after their last request', async () => {
    const { storage, clock } = start();
    for (let i = 0; i < 300; i++) await storage.consume({ id: i, limits: { perMinute: 10, perDay: 10 } });
    clock.advance(days(1));
    await storage.consume(FREE);
    clock.advance(days(1));
    await storage.consume({ ...FREE, id: 999 });
    expect(storage.size).toBe(2);
  });
});

/** A naive implementation of the rules: a list of every admitted request. */
class NaiveModel {
  private readonly admissions = new Map<
    ClientId,
    { windowStart: number; inWindow: number; days: Map<number, number> }
  >();

  constructor(private readonly clock: TestClock) {}

  consume({ id, limits }: RateLimitClient): boolean {
    const now = this.clock.elapsed();
    const day = Math.floor(this.clock.now() / days(1));
    const own = this.admissions.get(id) ?? { windowStart: now, inWindow: 0, days: new Map<number, number>() };
    this.admissions.set(id, own);
    if (own.inWindow === 0 || now - own.windowStart >= minutes(1))
      Object.assign(own, { windowStart: now, inWindow: 0 });
    const today = own.days.get(day) ?? 0;
    if (own.inWindow >= limits.perMinute || today >= (limits.perDay ?? Infinity)) return false;
    own.inWindow += 1;
    own.days.set(day, today + 1);
    return true;
  }
}

describe('the memory storage with random requests', () => {
  const step = fc.record({
    pause: fc.oneof(
      fc.constant(0),
      fc.integer({ min: 0, max: 70_000 }),
      fc.integer({ min: 0, max: hours(30) }),
    ),
    /** How far the wall clock is corrected at that time. */
    step: fc.oneof(
      { weight: 4, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.integer({ min: -hours(60), max: hours(60) }) },
    ),
    id: fc.constantFrom(1, 2),
    perMinute: fc.integer({ min: 1, max: 4 }),
    perDay: fc.integer({ min: 1, max: 12 }),
    requests: fc.integer({ min: 1, max: 6 }),
  });

  it('decides like the naive model', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { storage, clock } = start();
        const model = new NaiveModel(clock);
        for (const { pause, step: correction, id, perMinute, perDay, requests } of steps) {
          clock.advance(pause);
          clock.step(correction);
          for (let i = 0; i < requests; i++) {
            const client = { id, limits: { perMinute, perDay } };
            const decided = await storage.consume(client);
            expect(decided.admitted).toBe(model.consume(client));
            expect(decided.windows[1]?.resetIn).toBeLessThanOrEqual(days(1));
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  it('admits a request sent after the announced Retry-After', async () => {
    const wait = ({ windows }: RateLimitResult) =>
      Math.max(...windows.filter(({ remaining }) => remaining === 0).map(({ resetIn }) => resetIn));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        const { storage, clock } = start();
        for (const { pause, perMinute, perDay, requests } of steps) {
          const client = { id: 1, limits: { perMinute, perDay } };
          clock.advance(pause);
          for (let i = 0; i < requests; i++) {
            const decided = await storage.consume(client);
            if (decided.admitted) continue;
            clock.advance(wait(decided));
            expect((await storage.consume(client)).admitted).toBe(true);
          }
        }
      }),
      { numRuns: 200 },
    );
  });

  it('only decreases remaining within a window', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 60 }), async (pauses) => {
        const { storage, clock } = start();
        let before: RateLimitResult | undefined;
        for (const pause of pauses) {
          clock.advance(pause);
          const now = await storage.consume({ id: 1, limits: { perMinute: 5, perDay: 30 } });
          before?.windows.forEach((window, i) => {
            if (window.resetIn > pause)
              expect(now.windows[i]?.remaining).toBeLessThanOrEqual(window.remaining);
          });
          before = now;
        }
      }),
      { numRuns: 200 },
    );
  });
});
