import { hours, minutes, seconds } from '../../src/kernel/clock/duration.js';
import type { Decision } from '../../src/rate-limit/decision.js';
import type { PlanThrottlerStorage, Subject } from '../../src/rate-limit/plan-throttler.storage.js';

export interface StorageUnderTest {
  readonly storage: PlanThrottlerStorage;
  /** Lets time pass; noon is far from midnight. */
  advance(milliseconds: number): Promise<void>;
  /** Lets the rest of the UTC day pass. */
  nextDay(): Promise<void>;
  /** How far from a boundary a test has to stay: 1 ms where time is the test's, more where it is a server's. */
  readonly margin: number;
}

let ids = 1000;
const somebody = (perMinute: number, perDay?: number): Subject => ({
  id: ids++,
  limits: { perMinute, perDay },
});

/** What every storage promises, whichever keeps the counts. */
export function describeStorage(name: string, start: () => Promise<StorageUnderTest>): void {
  describe(`the ${name} storage`, () => {
    let test: StorageUnderTest;
    beforeEach(async () => {
      test = await start();
    });

    const consume = async (subject: Subject, times = 1): Promise<Decision> => {
      for (let i = 1; i < times; i++) await test.storage.consume(subject);
      return test.storage.consume(subject);
    };
    const remaining = ({ windows }: Decision) => windows.map((window) => window.remaining);

    it('admits exactly the limit of a minute', async () => {
      const subject = somebody(5, 100);
      const decisions = [];
      for (let i = 0; i < 8; i++) decisions.push(await consume(subject));
      expect(decisions.map(({ admitted }) => admitted)).toEqual([
        true,
        true,
        true,
        true,
        true,
        false,
        false,
        false,
      ]);
      expect(decisions.map((decided) => remaining(decided)[0])).toEqual([4, 3, 2, 1, 0, 0, 0, 0]);
    });

    it('admits exactly the limit of concurrent requests', async () => {
      const subject = somebody(50, 1000);
      const decisions = await Promise.all(
        Array.from({ length: 120 }, async () => test.storage.consume(subject)),
      );
      expect(decisions.filter(({ admitted }) => admitted)).toHaveLength(50);
    });

    it('starts the minute at the first request and ends it 60 s later', async () => {
      const subject = somebody(2, 100);
      await consume(subject);
      await test.advance(seconds(30));
      expect((await consume(subject)).windows[0]?.resetIn).toBeLessThanOrEqual(seconds(30));
      await test.advance(seconds(30) - test.margin);
      expect((await consume(subject)).admitted).toBe(false);
      await test.advance(test.margin);
      expect(remaining(await consume(subject))).toEqual([1, 97]);
    });

    it('charges both windows or neither', async () => {
      const subject = somebody(3, 4);
      await consume(subject, 3);
      expect(remaining(await consume(subject))).toEqual([0, 1]);
      await test.advance(minutes(1));
      expect(remaining(await consume(subject))).toEqual([2, 0]);
      const refused = await consume(subject);
      expect(refused.admitted).toBe(false);
      expect(remaining(refused)).toEqual([2, 0]);
    });

    it('starts a new day at 00:00 UTC', async () => {
      const subject = somebody(10, 3);
      expect((await consume(subject, 4)).admitted).toBe(false);
      await test.nextDay();
      expect((await consume(subject)).admitted).toBe(true);
      expect((await test.storage.peek(subject)).windows[1]?.remaining).toBe(2);
    });

    it('ends the day at 00:00 UTC', async () => {
      const { windows } = await consume(somebody(10, 10));
      expect(windows[1]?.resetIn).toBeGreaterThan(0);
      expect(windows[1]?.resetIn).toBeLessThanOrEqual(hours(24));
    });

    it('charges nothing for a peek', async () => {
      const subject = somebody(3, 10);
      await consume(subject);
      await test.storage.peek(subject);
      expect(remaining(await test.storage.peek(subject))).toEqual([2, 9]);
      expect(remaining(await test.storage.peek(somebody(3, 10)))).toEqual([3, 10]);
    });

    it('keeps the counts when the limits change, and holds to the new limits at once', async () => {
      const small = somebody(3, 10);
      const large = { ...small, limits: { perMinute: 6, perDay: 20 } };
      expect((await consume(small, 4)).admitted).toBe(false);
      expect(remaining(await consume(large))).toEqual([2, 16]);
      const shrunk = await consume(small);
      expect(shrunk.admitted).toBe(false);
      expect(remaining(shrunk)).toEqual([0, 6]);
    });

    it('keeps callers apart', async () => {
      const [one, other] = [somebody(1, 10), somebody(1, 10)];
      await consume(one, 2);
      expect((await consume(other)).admitted).toBe(true);
    });

    it('counts no day for a caller that has none', async () => {
      expect(remaining(await consume(somebody(3)))).toEqual([2]);
    });

    it('takes a window of another length', async () => {
      const subject = { ...somebody(2), period: seconds(10) };
      expect((await consume(subject, 3)).admitted).toBe(false);
      await test.advance(seconds(10));
      expect((await consume(subject)).admitted).toBe(true);
    });
  });
}
