import { hours, minutes, seconds } from '../../src/platform/kernel/clock/duration.js';
import type { CountedKey, QuotaSubject, QuotaResult } from '../../src/platform/access/rate-limit/quota.js';
import type { PlanThrottlerStorage } from '../../src/platform/access/rate-limit/plan-throttler.storage.js';
import { address, admitted, count, key } from './quota-subjects.js';

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
const keyWith = (perMinute: number, perDay: number): CountedKey => key(ids++, perMinute, perDay);

/** Describes the behaviour required of every storage, wherever it keeps its counts. */
export function describeStorage(name: string, start: () => Promise<StorageUnderTest>): void {
  describe(`the ${name} storage`, () => {
    let test: StorageUnderTest;
    beforeEach(async () => {
      test = await start();
    });

    const send = async (client: QuotaSubject, times = 1): Promise<QuotaResult> => {
      for (let i = 1; i < times; i++) await count(test.storage, client);
      return count(test.storage, client);
    };
    /** A time of which the steps of a test have used some, less than the margin. */
    const expectNearly = (actual: number, whole: number) => {
      expect(actual).toBeGreaterThan(whole - test.margin / 1000);
      expect(actual).toBeLessThanOrEqual(whole);
    };
    const remaining = ({ windows }: Pick<QuotaResult, 'windows'>) =>
      windows.map((window) => window.remaining);

    it('admits exactly the limit of a minute', async () => {
      const client = keyWith(5, 100);
      const results: QuotaResult[] = [];
      for (let i = 0; i < 7; i++) results.push(await send(client));
      expect(results.map((one) => one.admitted)).toEqual([...Array<boolean>(5).fill(true), false, false]);
      expect(results.map((one) => remaining(one)[0])).toEqual([4, 3, 2, 1, 0, 0, 0]);
    });

    it('admits exactly the limit of concurrent requests', async () => {
      const client = keyWith(50, 1000);
      expect(await admitted(test.storage, client, 120)).toBe(50);
    });

    it('starts the minute at the first request and ends it 60 s later', async () => {
      const client = keyWith(2, 100);
      await send(client);
      await test.advance(seconds(30));
      expect((await send(client)).windows[0]?.resetIn).toBeLessThanOrEqual(seconds(30));
      await test.advance(seconds(30) - test.margin);
      expect((await send(client)).admitted).toBe(false);
      await test.advance(test.margin);
      expect(remaining(await send(client))).toEqual([1, 97]);
    });

    it('charges both windows or neither', async () => {
      const client = keyWith(3, 4);
      await send(client, 3);
      expect(remaining(await send(client))).toEqual([0, 1]);
      await test.advance(minutes(1));
      expect(remaining(await send(client))).toEqual([2, 0]);
      const refused = await send(client);
      expect(refused.admitted).toBe(false);
      expect(remaining(refused)).toEqual([2, 0]);
    });

    it('starts a new day at 00:00 UTC', async () => {
      const client = keyWith(10, 3);
      expect((await send(client, 4)).admitted).toBe(false);
      await test.nextDay();
      expect((await send(client)).admitted).toBe(true);
      expect((await test.storage.peek(client)).windows[1]?.remaining).toBe(2);
    });

    it('ends the day at 00:00 UTC', async () => {
      const { windows } = await send(keyWith(10, 10));
      expect(windows[1]?.resetIn).toBeGreaterThan(0);
      expect(windows[1]?.resetIn).toBeLessThanOrEqual(hours(24));
    });

    it('charges nothing on a peek', async () => {
      const client = keyWith(3, 10);
      await send(client);
      await test.storage.peek(client);
      expect(remaining(await test.storage.peek(client))).toEqual([2, 9]);
      expect(remaining(await test.storage.peek(keyWith(3, 10)))).toEqual([3, 10]);
    });

    it('keeps the counts when the limits change, and applies the new limits immediately', async () => {
      const small = keyWith(3, 10);
      const large = { ...small, limit: 6, perDay: 20 };
      expect((await send(small, 4)).admitted).toBe(false);
      expect(remaining(await send(large))).toEqual([2, 16]);
      const shrunk = await send(small);
      expect(shrunk.admitted).toBe(false);
      expect(remaining(shrunk)).toEqual([0, 6]);
    });

    it('counts clients separately', async () => {
      const [one, other] = [keyWith(1, 10), keyWith(1, 10)];
      await send(one, 2);
      expect((await send(other)).admitted).toBe(true);
    });

    it('counts no days for an address', async () => {
      expect(remaining(await send(address('192.0.2.1', 3)))).toEqual([2]);
    });

    it('supports windows of other lengths', async () => {
      const client = { kind: 'route', id: `route ${ids++}`, ttl: seconds(60), limit: 2 } as const;
      expect((await send(client, 3)).admitted).toBe(false);
      await test.advance(seconds(60));
      expect((await send(client)).admitted).toBe(true);
    });

    it('returns the record of @nestjs/throttler', async () => {
      const id = `record ${ids++}`;
      const increment = () => test.storage.increment(id, seconds(60), 1, 0);
      expect(await increment()).toMatchObject({ totalHits: 1, isBlocked: false, timeToBlockExpire: 0 });
      const refused = await increment();
      expect(refused).toMatchObject({ totalHits: 2, isBlocked: true });
      expectNearly(refused.timeToBlockExpire, 60);
    });

    it('blocks for blockDuration from the first refused request', async () => {
      const id = `blocked ${ids++}`;
      const increment = () => test.storage.increment(id, seconds(60), 1, seconds(180));
      expect((await increment()).isBlocked).toBe(false);
      const refused = await increment();
      expect(refused.isBlocked).toBe(true);
      expectNearly(refused.timeToBlockExpire, 180);
      await test.advance(seconds(180) - test.margin);
      const last = await increment();
      expect(last.isBlocked).toBe(true);
      expect(last.timeToBlockExpire).toBeGreaterThanOrEqual(1);
      expect(last.timeToBlockExpire).toBeLessThanOrEqual(Math.ceil(test.margin / 1000));
      await test.advance(test.margin);
      expect((await increment()).isBlocked).toBe(false);
    });

    it('gives no fresh window after a block that is shorter than the window', async () => {
      const id = `blocked ${ids++}`;
      const increment = () => test.storage.increment(id, seconds(60), 1, seconds(12));
      await increment();
      const refused = await increment();
      expect(refused.isBlocked).toBe(true);
      expectNearly(refused.timeToBlockExpire, 60);
      await test.advance(seconds(30));
      expect((await increment()).isBlocked).toBe(true);
    });
  });
}
