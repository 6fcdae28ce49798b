import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import { ApiKeysService } from '../../../src/platform/access/keys/api-keys.service.js';
import type { Int64 } from '../../../src/platform/kernel/json/int64.js';
import { DailyUsageRepository } from '../../../src/platform/access/rate-limit/daily-usage/daily-usage.repository.js';
import { days } from '../../../src/platform/kernel/clock/duration.js';
import { farFromMidnight } from '../../support/midnight.js';
import { Petstore } from '../../support/petstore.js';

/** Set before each test, because PostgreSQL merges by its own day. */
let today: number;

describe('the daily counts in PostgreSQL', () => {
  let petstore: Petstore;
  let usage: DailyUsageRepository;
  let key: Int64;
  let other: Int64;

  beforeAll(async () => {
    petstore = await Petstore.start();
    usage = new DailyUsageRepository(petstore.app.get(DataSource));
  });
  afterAll(() => petstore.stop());
  beforeEach(async () => {
    await farFromMidnight();
    today = Math.floor(Date.now() / days(1));
    [key, other] = await Promise.all([newKey(), newKey()]);
  });

  const newKey = async () =>
    (await petstore.app.get(ApiKeysService).create({ name: 'x', plan: 'free' })).key.id;
  /** The count that a process starting now would read. */
  async function count(keyId: Int64, day = today - 1, writer: string = randomUUID()): Promise<number> {
    return (await usage.sumOfOthers(writer, day, [keyId]))[0]?.requests ?? 0;
  }
  const used = (requests: number, keyId = key, day = today - 1) => ({ requests, keyId, day });

  it('add up all writers for each day', async () => {
    const [one, two] = [randomUUID(), randomUUID()];
    await usage.record(one, [used(10), used(3, key, today)]);
    await usage.record(two, [used(4)]);
    expect([await count(key), await count(key, today)]).toEqual([14, 3]);
    expect([await count(key, today - 1, one), await count(key, today - 1, two)]).toEqual([4, 10]);
  });

  it('omit deleted keys', async () => {
    await petstore.query('DELETE FROM api_keys WHERE id = $1', [other]);
    await usage.record(randomUUID(), [used(10), used(5, other)]);
    expect([await count(key), await count(other)]).toEqual([10, 0]);
  });

  it('are the same after the rows of past days were merged', async () => {
    const old = 20_000; // in 2024
    const [one, two] = [randomUUID(), randomUUID()];
    for (const day of [old, today - 2, today - 1, today]) {
      await usage.record(one, [used(10, key, day)]);
      await usage.record(two, [used(5, key, day)]);
    }
    await Promise.all([usage.merge(), usage.merge()]);
    await usage.merge();
    for (const day of [old, today - 2, today - 1, today]) expect(await count(key, day)).toBe(15);
    const rows = await petstore.query('SELECT FROM api_key_usage_by_writer WHERE key_id = $1', [key]);
    expect(rows).toHaveLength(4); // two days of two writers
    expect((await usage.history(key, 10)).map(({ requests }) => requests)).toEqual([15, 15, 15]);
  });

  it('count no request twice if a statement comes after the rows of its day were merged', async () => {
    const [writer, silent] = [randomUUID(), randomUUID()];
    const day = today - 2;
    await usage.record(writer, [used(5, key, day)]);
    await usage.merge();
    await usage.record(writer, [used(7, key, day), used(3, other, day)]);
    await usage.record(silent, [used(4, other, day)]);
    await usage.merge();
    expect(await count(key, day)).toBe(5);
    expect(await count(other, day)).toBe(7); // nothing of it had been merged
  });

  it('are exact whichever statements are lost, repeated or late', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            requests: fc.integer({ min: 0, max: 9 }),
            copies: fc.array(fc.nat({ max: 5 }), { maxLength: 3 }),
          }),
          { minLength: 1, maxLength: 6 },
        ),
        async (sends) => {
          const writer = randomUUID();
          const before = await count(key, today);
          const totals = sends.map((_, i) =>
            sends.slice(0, i + 1).reduce((sum, { requests }) => sum + requests, 0),
          );
          for (const { copies } of sends) {
            for (const i of copies) await usage.record(writer, [used(totals[i] ?? 0, key, today)]);
          }
          await usage.record(writer, [used(totals.at(-1) ?? 0, key, today)]);
          expect((await count(key, today)) - before).toBe(totals.at(-1));
        },
      ),
      { numRuns: 30 },
    );
  });
});
