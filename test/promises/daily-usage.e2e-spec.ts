import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import { ApiKeysService } from '../../src/auth/api-keys.service.js';
import type { Int64 } from '../../src/kernel/json/int64.js';
import { DailyUsageRepository } from '../../src/rate-limit/daily-usage/daily-usage.repository.js';
import { Petstore } from '../support/petstore.js';

describe('the day counts in PostgreSQL', () => {
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
    [key, other] = await Promise.all([newKey(), newKey()]);
  });

  const newKey = async () =>
    (await petstore.app.get(ApiKeysService).create({ name: 'x', plan: 'free' })).key.id;
  async function count(id: Int64, day = 20_000): Promise<number> {
    const [row] = await petstore.query<{ requests: number }>(
      `SELECT requests FROM api_key_usage WHERE key_id = $1 AND day = DATE '1970-01-01' + $2::integer`,
      [id, day],
    );
    return row?.requests ?? 0;
  }
  const change = (sequence: number, requests: number, keyId = key, day = 20_000) => ({
    sequence,
    requests,
    keyId,
    day,
  });
  async function newWriter(): Promise<string> {
    const writer = randomUUID();
    await usage.register(writer);
    return writer;
  }

  it('count a change once, however often it is sent', async () => {
    const writer = await newWriter();
    const changes = [change(1, 10), change(2, 5, other)];
    const expected = new Set([
      { keyId: key, day: 20_000, requests: 10 },
      { keyId: other, day: 20_000, requests: 5 },
    ]);
    // The rows come in any order.
    for (let i = 0; i < 3; i++) expect(new Set(await usage.apply(writer, changes))).toEqual(expected);
  });

  it('count a change once when its copies run at the same time', async () => {
    const writer = await newWriter();
    const results = await Promise.all(Array.from({ length: 8 }, () => usage.apply(writer, [change(1, 10)])));
    for (const [row] of results) expect(row?.requests).toBe(10);
    expect(await count(key)).toBe(10);
  });

  it('do not count a late copy of a statement that was sent again with more', async () => {
    const writer = await newWriter();
    await usage.apply(writer, [change(1, 10), change(2, 7)]);
    await usage.apply(writer, [change(1, 10)]);
    expect(await count(key)).toBe(17);
  });

  it('are those of all writers together, and of each day', async () => {
    const [one, two] = await Promise.all([newWriter(), newWriter()]);
    await usage.apply(one, [change(1, 10), change(2, 3, key, 20_001)]);
    expect(await usage.apply(two, [change(1, 4)])).toEqual([{ keyId: key, day: 20_000, requests: 14 }]);
    await usage.apply(one, [change(3, -6)]);
    expect([await count(key), await count(key, 20_001)]).toEqual([8, 3]);
  });

  it('leave out a key that was deleted', async () => {
    const writer = await newWriter();
    await petstore.query('DELETE FROM api_keys WHERE id = $1', [other]);
    const rows = await usage.apply(writer, [change(1, 10), change(2, 5, other)]);
    expect(rows).toEqual([{ keyId: key, day: 20_000, requests: 10 }]);
  });

  it('are exact whichever copies are lost, repeated or late', async () => {
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
          const writer = await newWriter();
          const before = await count(key);
          const changes = sends.map(({ requests }, i) => change(i + 1, requests));
          for (const { copies } of sends) {
            // Each send has everything that was not acknowledged: a prefix of all changes.
            for (const upTo of copies) await usage.apply(writer, changes.slice(0, upTo));
          }
          await usage.apply(writer, changes);
          expect((await count(key)) - before).toBe(changes.reduce((sum, { requests }) => sum + requests, 0));
        },
      ),
      { numRuns: 30 },
    );
  });
});
