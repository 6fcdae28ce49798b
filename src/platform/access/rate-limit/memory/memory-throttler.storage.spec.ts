import fc from 'fast-check';
import { describeStorage } from '../../../../../test/support/throttler-storage-conformance.js';
import { address, count, key } from '../../../../../test/support/quota-subjects.js';
import { eventually } from '../../../../../test/support/eventually.js';
import { TestClock } from '../../../../../test/support/test-clock.js';
import { type Outcome, TestDailyUsage } from '../../../../../test/support/test-daily-usage.js';
import { days, hours, minutes, seconds } from '../../../kernel/clock/duration.js';
import type { QuotaSubject, QuotaResult } from '../quota.js';
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

const FREE = key(1, 60, 1000);

async function admitted(
  storage: MemoryThrottlerStorage,
  client: QuotaSubject,
  times: number,
): Promise<number> {
  let sum = 0;
  for (let i = 0; i < times; i++) if ((await count(storage, client)).admitted) sum += 1;
  return sum;
}

describe('the memory storage when the clock changes', () => {
  it('does not extend a minute when the wall clock steps back', async () => {
    const { storage, clock } = start();
    await admitted(storage, FREE, 61);
    clock.step(-hours(1));
    clock.advance(minutes(1) - 1);
    expect((await count(storage, FREE)).admitted).toBe(false);
    clock.advance(1);
    expect((await count(storage, FREE)).admitted).toBe(true);
  });

  it('does not return to the previous day when the wall clock steps back over midnight', async () => {
    const { storage, clock } = start();
    const client = key(1, 1000, 5);
    expect(await admitted(storage, client, 10)).toBe(5);
    clock.advance(hours(12));
    expect(await admitted(storage, client, 10)).toBe(5);
    clock.step(-seconds(10));
    expect(await admitted(storage, client, 10)).toBe(0);
    clock.advance(seconds(10));
    expect(await admitted(storage, client, 10)).toBe(0);
  });

  it('uses the right day and Retry-After when the clock jumps a day ahead and back', async () => {
    const { storage, clock } = start();
    const client = key(1, 1000, 5);
    expect(await admitted(storage, client, 3)).toBe(3);
    clock.step(days(1));
    expect(await admitted(storage, client, 10)).toBe(5); // counted for the wrong day
    clock.advance(minutes(10));
    clock.step(-days(1));
    expect(await admitted(storage, client, 10)).toBe(2); // left for this day
    const [, day] = (await count(storage, client)).windows;
    expect(day?.resetIn).toBeLessThanOrEqual(hours(24));
    clock.advance((day?.resetIn ?? 0) - 1);
    expect(await admitted(storage, client, 1)).toBe(0);
    clock.advance(1);
    expect(await admitted(storage, client, 1)).toBe(0); // already used while the clock was ahead
    expect((await count(storage, client)).windows[1]?.resetIn).toBe(days(1));
  });
});

describe('the memory storage and the recorded daily counts', () => {
  const HEAVY = key(7, 1_000_000, 1000);

  it('reads the recorded count once a day for each key', async () => {
    const { storage, usage, clock } = start();
    await admitted(storage, HEAVY, 5);
    expect(usage.reads).toBe(1);
    clock.advance(days(1));
    await admitted(storage, HEAVY, 5);
    expect(usage.reads).toBe(2);
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

  it('keeps counting while PostgreSQL is unavailable, and records the counts afterwards', async () => {
    const { storage, usage } = start();
    await admitted(storage, HEAVY, 5);
    usage.away = true;
    expect(await admitted(storage, HEAVY, 100)).toBe(100);
    usage.away = false;
    await eventually(() => usage.total >= 105); // recorded automatically
    expect(await admitted(storage, HEAVY, 2000)).toBe(1000 - 105);
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
            total += await admitted(storage, key(7, 1e6, 500), life);
            if (thaw) usage.thaw();
            usage.outcome = () => 'runs'; // or a shutdown takes its full timeout
            await storage.close();
            usage.outcome = () => outcomes.shift() ?? 'runs';
          }
          usage.thaw();
          expect(usage.total).toBe(total);
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe('the memory use of the memory storage', () => {
  it('forgets addresses some time after their last request', async () => {
    const { storage, clock } = start();
    for (let i = 0; i < 400; i++) await count(storage, address(`10.0.0.${i}`));
    expect(storage.size).toBe(400);
    for (let i = 0; i < 3; i++) {
      clock.advance(minutes(1));
      await count(storage, address('last'));
    }
    expect(storage.size).toBeLessThanOrEqual(2);
  });

  it('never exceeds the maximum number of addresses', async () => {
    const { storage } = start();
    for (let i = 0; i < 20_000; i++) await count(storage, address(`2001:db8:${i}::`));
    expect(storage.size).toBeLessThanOrEqual(1000);
  });

  it('forgets keys a day or two after their last request', async () => {
    const { storage, clock } = start();
    for (let i = 0; i < 300; i++) await count(storage, key(i, 10, 10));
    clock.advance(days(1));
    await count(storage, FREE);
    clock.advance(days(1));
    await count(storage, { ...FREE, id: '999' });
    expect(storage.size).toBe(2);
  });
});

/** A naive implementation of the rules: a list of every admitted request. */
class NaiveModel {
  private readonly admissions = new Map<
    string,
    { windowStart: number; inWindow: number; days: Map<number, number> }
  >();

  constructor(private readonly clock: TestClock) {}

  count({ id, limit, perDay = Infinity }: QuotaSubject): boolean {
    const now = this.clock.elapsed();
    const day = Math.floor(this.clock.now() / days(1));
    const own = this.admissions.get(id) ?? { windowStart: now, inWindow: 0, days: new Map<number, number>() };
    this.admissions.set(id, own);
    if (own.inWindow === 0 || now - own.windowStart >= minutes(1))
      Object.assign(own, { windowStart: now, inWindow: 0 });
    const today = own.days.get(day) ?? 0;
    if (own.inWindow >= limit || today >= perDay) return false;
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

  it('admits exactly what a simple count of all requests would admit', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { storage, clock } = start();
        const model = new NaiveModel(clock);
        for (const { pause, step: correction, id, perMinute, perDay, requests } of steps) {
          clock.advance(pause);
          clock.step(correction);
          for (let i = 0; i < requests; i++) {
            const client = key(id, perMinute, perDay);
            const decided = await count(storage, client);
            expect(decided.admitted).toBe(model.count(client));
            expect(decided.windows[1]?.resetIn).toBeLessThanOrEqual(days(1));
          }
        }
      }),
      { numRuns: 150 },
    );
  });

  it('admits a request sent after the announced Retry-After', async () => {
    const wait = ({ windows }: QuotaResult) =>
      Math.max(...windows.filter(({ remaining }) => remaining === 0).map(({ resetIn }) => resetIn));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        const { storage, clock } = start();
        for (const { pause, perMinute, perDay, requests } of steps) {
          const client = key(1, perMinute, perDay);
          clock.advance(pause);
          for (let i = 0; i < requests; i++) {
            const decided = await count(storage, client);
            if (decided.admitted) continue;
            clock.advance(wait(decided));
            expect((await count(storage, client)).admitted).toBe(true);
          }
        }
      }),
      { numRuns: 100 },
    );
  });
});
