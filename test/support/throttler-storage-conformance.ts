import { hours, minutes, seconds } from '../../src/kernel/clock/duration.js';
import type { RateLimitClient, RateLimitResult } from '../../src/rate-limit/rate-limit.result.js';
import type { PlanThrottlerStorage } from '../../src/rate-limit/plan-throttler.storage.js';

interface StorageUnderTest {
  readonly storage: PlanThrottlerStorage;
  /** Lets time pass, starting at noon, far from midnight. */
  advance(milliseconds: number): Promise<void>;
  /** Lets the rest of the UTC day pass. */
  nextDay(): Promise<void>;
  /** How far a test must stay from a boundary: 1 ms with a simulated clock, more with a server's clock. */
  readonly margin: number;
}

let ids = 1000;
const clientWith = (perMinute: number, perDay?: number): RateLimitClient => ({
  id: ids++,
  limits: { perMinute, perDay },
});

/** Describes the behaviour required of every storage, wherever it keeps its counts. */
export function describeStorage(name: string, start: () => Promise<StorageUnderTest>): void {
  describe(`the ${name} storage`, () => {
    let test: StorageUnderTest;
    beforeEach(async () => {
      test = await start();
    });

    const consume = async (client: RateLimitClient, times = 1): Promise<RateLimitResult> => {
      for (let i = 1; i < times; i++) await test.storage.consume(client);
      return test.storage.consume(client);
    };
    const remaining = ({ windows }: RateLimitResult) => windows.map((window) => window.remaining);

    it('admits exactly the limit of a minute', async () => {
      const client = clientWith(5, 100);
      const results = [];
      for (let i = 0; i < 8; i++) results.push(await consume(client));
      expect(results.map(({ admitted }) => admitted)).toEqual([
        true,
        true,
        true,
        true,
        true,
        false,
        false,
        false,
      ]);
      expect(results.map((decided) => remaining(decided)[0])).toEqual([4, 3, 2, 1, 0, 0, 0, 0]);
    });

    it('admits exactly the limit of concurrent requests', async () => {
      const client = clientWith(50, 1000);
      const results = await Promise.all(
        Array.from({ length: 120 }, async () => test.storage.consume(client)),
      );
      expect(results.filter(({ admitted }) => admitted)).toHaveLength(50);
    });

    it('starts the minute at the first request and ends it 60 s later', async () => {
      const client = clientWith(2, 100);
      await consume(client);
      await test.advance(seconds(30));
      expect((await consume(client)).windows[0]?.resetIn).toBeLessThanOrEqual(seconds(30));
      await test.advance(seconds(30) - test.margin);
      expect((await consume(client)).admitted).toBe(false);
      await test.advance(test.margin);
      expect(remaining(await consume(client))).toEqual([1, 97]);
    });

    it('charges both windows or neither', async () => {
      const client = clientWith(3, 4);
      await consume(client, 3);
      expect(remaining(await consume(client))).toEqual([0, 1]);
      await test.advance(minutes(1));
      expect(remaining(await consume(client))).toEqual([2, 0]);
      const refused = await consume(client);
      expect(refused.admitted).toBe(false);
      expect(remaining(refused)).toEqual([2, 0]);
    });

    it('starts a new day at 00:00 UTC', async () => {
      const client = clientWith(10, 3);
      expect((await consume(client, 4)).admitted).toBe(false);
      await test.nextDay();
      expect((await consume(client)).admitted).toBe(true);
      expect((await test.storage.peek(client)).windows[1]?.remaining).toBe(2);
    });

    it('ends the day at 00:00 UTC', async () => {
      const { windows } = await consume(clientWith(10, 10));
      expect(windows[1]?.resetIn).toBeGreaterThan(0);
      expect(windows[1]?.resetIn).toBeLessThanOrEqual(hours(24));
    });

    it('charges nothing on a peek', async () => {
      const client = clientWith(3, 10);
      await consume(client);
      await test.storage.peek(client);
      expect(remaining(await test.storage.peek(client))).toEqual([2, 9]);
      expect(remaining(await test.storage.peek(clientWith(3, 10)))).toEqual([3, 10]);
    });

    it('keeps the counts when the limits change, and applies the new limits immediately', async () => {
      const small = clientWith(3, 10);
      const large = { ...small, limits: { perMinute: 6, perDay: 20 } };
      expect((await consume(small, 4)).admitted).toBe(false);
      expect(remaining(await consume(large))).toEqual([2, 16]);
      const shrunk = await consume(small);
      expect(shrunk.admitted).toBe(false);
      expect(remaining(shrunk)).toEqual([0, 6]);
    });

    it('counts callers separately', async () => {
      const [one, other] = [clientWith(1, 10), clientWith(1, 10)];
      await consume(one, 2);
      expect((await consume(other)).admitted).toBe(true);
    });

    it('counts no days for a client without a daily limit', async () => {
      expect(remaining(await consume(clientWith(3)))).toEqual([2]);
    });

    it('supports windows of other lengths', async () => {
      const client = { ...clientWith(2), period: seconds(10) };
      expect((await consume(client, 3)).admitted).toBe(false);
      await test.advance(seconds(10));
      expect((await consume(client)).admitted).toBe(true);
    });
  });
}
