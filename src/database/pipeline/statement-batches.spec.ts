import { hash } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { createTestDatabase, type TestDatabase, withClient } from '../../../test/support/test-database.js';
import { isDatabaseUnavailable } from '../database-unavailable.js';
import { ServicePool } from '../pool/service-pool.js';
import { type RawRows, type Statement, StatementBatches } from './statement-batches.js';

/** As in the service: shorter than the limit of a batch, and much shorter than all its statements together. */
const SLOW = { statement_timeout: 1_250 };

let database: TestDatabase;
let pool: pg.Pool;
let batches: Reader;

/** A statement with its values. */
interface Run {
  readonly text: string;
  readonly values: readonly unknown[];
}

const prepared = ({ text, values }: Run): Statement => ({
  name: hash('sha256', text, 'base64url'),
  text,
  values: values.map(String),
});

/** Batches that return rows as arrays of values. */
class Reader {
  private readonly batches: StatementBatches;

  constructor(pool: pg.Pool) {
    this.batches = new StatementBatches(pool);
  }

  async read(run: Run): Promise<unknown[][]> {
    return parsed(await this.batches.read(prepared(run)));
  }

  async write(run: Run): Promise<unknown[][]> {
    return parsed(await this.batches.write(prepared(run)));
  }
}

const parsed = ({ parsers, rows }: RawRows): unknown[][] =>
  rows.map((row) => row.map((value, i) => (value === null ? null : parsers[i]?.(value as string))));

beforeAll(async () => {
  database = await createTestDatabase('template1');
  await withClient(database.url, (client) => client.query('CREATE TABLE numbers (n integer PRIMARY KEY)'));
});
afterAll(() => database.drop());
beforeEach(() => {
  pool = new ServicePool({ connectionString: database.url, max: 3 });
  pool.on('error', () => undefined);
  batches = new Reader(pool);
});
afterEach(async () => {
  await pool.end();
  await withClient(database.url, (client) => client.query('TRUNCATE numbers'));
});

const double = (n: number): Run => ({ text: 'SELECT $1::int * 2 AS twice', values: [n] });
const divide = (n: number): Run => ({ text: 'SELECT 12 / $1::int AS part', values: [n] });
const insert = (n: number): Run => ({
  text: 'INSERT INTO numbers VALUES ($1) RETURNING n',
  values: [n],
});
const numbersFrom = (n: number): Run => ({
  text: 'SELECT n FROM numbers WHERE n >= $1 ORDER BY n',
  values: [n],
});
const backend = (n: number): Run => ({
  text: 'SELECT pg_backend_pid() AS pid, $1::int AS n',
  values: [n],
});
const killed = (n: number): Run => ({
  text: 'SELECT pg_terminate_backend(pg_backend_pid()), $1::int',
  values: [n],
});
/** The connection below a client, which emits every message. The types omit it. */
const insideOf = (client: pg.PoolClient) => (client as unknown as { connection: EventEmitter }).connection;
const stored = async () => (await batches.read(numbersFrom(0))).map(([n]) => n);
const failuresOf = (outcomes: readonly PromiseSettledResult<unknown>[]) =>
  outcomes.map((outcome) =>
    outcome.status === 'rejected' ? (outcome.reason as { code?: string }).code : undefined,
  );
const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);

describe('statements of one turn', () => {
  it('each get their own result', async () => {
    const results = await Promise.all(upTo(100).map((n) => batches.read(double(n))));
    expect(results).toEqual(upTo(100).map((n) => [[n * 2]]));
  });

  it('use one connection', async () => {
    const results = await Promise.all(upTo(20).map((n) => batches.read(backend(n))));
    expect(new Set(results.map(([row]) => row?.[0])).size).toBe(1);
  });

  it('use several connections if there are many, up to the size of the pool', async () => {
    const results = await Promise.all(upTo(500).map((n) => batches.read(backend(n))));
    expect(new Set(results.map(([row]) => row?.[0])).size).toBeGreaterThan(1);
    expect(pool.totalCount).toBeLessThanOrEqual(3);
  });

  it('fail independently', async () => {
    const outcomes = await Promise.allSettled([3, 0, 4].map((n) => batches.read(divide(n))));
    expect(outcomes).toEqual([
      { status: 'fulfilled', value: [[4]] },
      { status: 'rejected', reason: expect.objectContaining({ code: '22012' }) },
      { status: 'fulfilled', value: [[3]] },
    ]);
  });

  it('share one ReadyForQuery', async () => {
    await batches.read(double(0));
    let results = 0;
    pool.on('acquire', (client) => insideOf(client).on('readyForQuery', () => (results += 1)));
    await Promise.all(upTo(20).map((n) => batches.read(double(n))));
    expect(results).toBe(1);
  });

  it('run once if they are identical reads; a later one runs again', async () => {
    const shared = new StatementBatches(pool);
    const read = (run: Run) => shared.read(prepared(run));
    const [one, same, other] = await Promise.all([double(1), double(1), double(2)].map(read));
    expect(same).toBe(one);
    expect(other).not.toBe(one);
    expect(await read(double(1))).not.toBe(one);
  });
});

describe('a statement that is already prepared on its connection', () => {
  let described = 0;

  beforeEach(() => {
    described = 0;
    pool.options.max = 1;
    pool.on('connect', (client) => {
      insideOf(client).on('rowDescription', () => (described += 1));
    });
  });

  it('parses its columns, which PostgreSQL describes only once', async () => {
    const results = [
      await batches.read(double(1)),
      await batches.read(double(2)),
      await batches.write(double(3)),
    ];
    expect(results).toEqual([[[2]], [[4]], [[6]]]);
    expect(described).toBe(1);
  });

  it('parses its columns after a failed run, whether the first or a later one', async () => {
    await expect(batches.read(divide(0))).rejects.toMatchObject({ code: '22012' });
    expect(await batches.read(divide(3))).toEqual([[4]]);
    await expect(batches.read(divide(0))).rejects.toMatchObject({ code: '22012' });
    expect(await batches.read(divide(2))).toEqual([[6]]);
  });

  it('parses its own columns when several statements alternate, and returns an empty result without rows', async () => {
    for (const n of [1, 2]) {
      expect(await batches.read(double(n))).toEqual([[2 * n]]);
      expect(await batches.read(divide(n))).toEqual([[12 / n]]);
      expect(await batches.read(numbersFrom(n))).toEqual([]);
    }
    expect(described).toBe(3);
  });

  it('fails, and does not misread rows, if its columns have changed', async () => {
    await withClient(database.url, (client) => client.query('CREATE TABLE changing AS SELECT 1 AS n'));
    const all: Run = { text: 'SELECT n FROM changing', values: [] };
    expect(await batches.read(all)).toEqual([[1]]);
    await withClient(database.url, (client) =>
      client.query("ALTER TABLE changing ALTER n TYPE text USING 'one'"),
    );
    await expect(batches.read(all)).rejects.toMatchObject({ code: '0A000' });
  });

  it('parses its columns on every connection', async () => {
    pool.options.max = 2;
    for (let i = 0; i < 2; i++) {
      const results = await Promise.all(upTo(40).map((n) => batches.read(double(n)))); // more than fit into one batch
      expect(results).toEqual(upTo(40).map((n) => [[n * 2]]));
    }
    expect(pool.totalCount).toBe(2);
  });
});

describe('writes of one turn', () => {
  it('are committed together', async () => {
    const transaction = (n: number): Run => ({
      text: 'INSERT INTO numbers VALUES ($1) RETURNING pg_current_xact_id()::text AS id',
      values: [n],
    });
    const rows = await Promise.all([1, 2, 3].map((n) => batches.write(transaction(n))));
    expect(new Set(rows.map(([row]) => row?.[0])).size).toBe(1);
    expect(await stored()).toEqual([1, 2, 3]);
  });

  it('each get their own rows, even in several batches', async () => {
    const rows = await Promise.all(upTo(100).map((n) => batches.write(insert(n))));
    expect(rows).toEqual(upTo(100).map((n) => [[n]]));
    expect(await stored()).toEqual(upTo(100));
  });

  it('are all executed, even if they are identical', async () => {
    const outcomes = await Promise.allSettled([insert(1), insert(1)].map((run) => batches.write(run)));
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('succeed if another one fails, which gets its own error', async () => {
    const outcomes = await Promise.allSettled([1, 1, 2, 3, 2, 4].map((n) => batches.write(insert(n))));
    const failures = failuresOf(outcomes);
    expect([failures[3], failures[5]]).toEqual([undefined, undefined]);
    for (const [one, other] of [
      [0, 1],
      [2, 4],
    ] as const)
      expect(new Set([failures[one], failures[other]])).toEqual(new Set([undefined, '23505']));
    expect(await stored()).toEqual([1, 2, 3, 4]);
  });

  it('succeed after one that fails, even if they were not prepared before', async () => {
    const outcomes = await Promise.allSettled(
      [divide(0), insert(1), insert(2)].map((run) => batches.write(run)),
    );
    expect(failuresOf(outcomes)).toEqual(['22012', undefined, undefined]);
    expect(await stored()).toEqual([1, 2]);
  });

  it('succeed if another one violates a deferred constraint at commit', async () => {
    await withClient(database.url, (client) =>
      client.query('CREATE TABLE late (n integer UNIQUE DEFERRABLE INITIALLY DEFERRED)'),
    );
    const insertLate = (n: number): Run => ({
      text: 'INSERT INTO late VALUES ($1) RETURNING n',
      values: [n],
    });
    const outcomes = await Promise.allSettled([1, 2, 1].map((n) => batches.write(insertLate(n))));
    const [first, other, second] = failuresOf(outcomes);
    expect(other).toBeUndefined();
    expect(new Set([first, second])).toEqual(new Set([undefined, '23505']));
  });

  it('all fail if the connection breaks, and nothing is committed', async () => {
    const outcomes = await Promise.allSettled(
      [insert(1), killed(0), insert(2)].map((run) => batches.write(run)),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(await stored()).toEqual([]);
  });
});

describe('statements that wait for a lock', () => {
  let patient: pg.Pool;
  let waiting: Reader;

  beforeEach(() => {
    patient = new ServicePool({
      connectionString: database.url,
      max: 1,
      connectionTimeoutMillis: 1_200,
      ...SLOW,
    });
    patient.on('error', () => undefined);
    waiting = new Reader(patient);
  });
  afterEach(() => patient.end());

  /** Shorter than all of them take in sequence. */
  const TOGETHER = 6 * SLOW.statement_timeout;

  /** The outcomes of twelve statements of one turn while another session locks the table. */
  const whileLocked = (run: (n: number) => Promise<unknown>) =>
    withClient(database.url, async (other) => {
      await other.query('BEGIN; LOCK TABLE numbers');
      const began = performance.now();
      const outcomes = await Promise.allSettled(upTo(12).map(run));
      const reasons = outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason : undefined));
      return { took: performance.now() - began, reasons };
    });

  it.each([
    ['prepared before', () => waiting.read(numbersFrom(99))],
    ['of which the first would have prepared the others', () => Promise.resolve()],
  ])('all fail in time, as if the database were unavailable: %s', async (_, prepare) => {
    await prepare();
    const { took, reasons } = await whileLocked((n) => waiting.read(numbersFrom(n)));
    expect(took).toBeLessThan(TOGETHER);
    expect(reasons.map(isDatabaseUnavailable)).toEqual(reasons.map(() => true));
    expect(await waiting.read(numbersFrom(1_000))).toEqual([]);
  });

  it('all fail in time if they write, and nothing is committed', async () => {
    const { took, reasons } = await whileLocked((n) => waiting.write(insert(n)));
    expect(took).toBeLessThan(TOGETHER);
    expect(reasons.map(isDatabaseUnavailable)).toEqual(reasons.map(() => true));
    expect(await stored()).toEqual([]);
  });
});

describe('writes of one turn, some of which wait for a lock', () => {
  const change = (n: number): Run => ({ text: 'UPDATE numbers SET n = n WHERE n = $1', values: [n] });

  it('do not delay the others, and succeed when their locks are free', async () => {
    await Promise.all(upTo(6).map((n) => batches.write(insert(n))));
    await withClient(database.url, async (other) => {
      const settled: number[] = [];
      await other.query('BEGIN');
      await other.query('SELECT FROM numbers WHERE n < 2 FOR UPDATE');
      const writes = upTo(6).map((n) => batches.write(change(n)).then(() => settled.push(n)));
      await Promise.all(writes.slice(2));
      expect([...settled].sort()).toEqual([2, 3, 4, 5]);
      await other.query('COMMIT');
      await Promise.all(writes);
    });
  });

  it('each have the full statement timeout, and are not mistaken for an unresponsive server', async () => {
    pool = new ServicePool({ connectionString: database.url, max: 3, ...SLOW });
    pool.on('error', () => undefined);
    batches = new Reader(pool);
    await Promise.all(upTo(2).map((n) => batches.write(insert(n))));
    await withClient(database.url, (first) =>
      withClient(database.url, async (second) => {
        for (const [n, client] of [first, second].entries()) {
          await client.query('BEGIN');
          await client.query('SELECT FROM numbers WHERE n = $1 FOR UPDATE', [n]);
        }
        const writes = Promise.all(upTo(2).map((n) => batches.write(change(n))));
        await delay(800); // below the statement timeout; twice this is above the query timeout
        await first.query('COMMIT');
        await delay(300);
        await second.query('COMMIT');
        expect(await writes).toEqual([[], []]);
      }),
    );
  });
});

describe('a statement that takes too long', () => {
  const sleep = (n: number): Run => ({
    text: 'SELECT pg_sleep($1)::text AS slept',
    values: [n],
  });

  it('does not make other reads fail', async () => {
    const patient = new pg.Pool({ connectionString: database.url, ...SLOW, statement_timeout: 400 });
    const reads = new Reader(patient);
    const runs = [double(1), sleep(0.2), sleep(60), double(2)];
    const outcomes = await Promise.allSettled(runs.map((run) => reads.read(run)));
    await patient.end();
    expect(failuresOf(outcomes)).toEqual([undefined, undefined, '57014', undefined]);
  });
});

describe('a connection that breaks', () => {
  it('fails its statements without a result, and is replaced for the next one', async () => {
    const runs = [double(0), killed(1), double(1)];
    const lost = await Promise.allSettled(runs.map((run) => batches.read(run)));
    expect(lost.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(await batches.read(double(4))).toEqual([[8]]);
    expect(pool.totalCount).toBe(1);
  });

  it.each(['read', 'write'] as const)('is not reused after a %s broke it', async (way) => {
    await expect(batches[way](killed(1))).rejects.toMatchObject({ code: '57P01' });
    expect(await batches[way](double(1))).toEqual([[2]]);
  });

  it('that cannot be established fails every statement', async () => {
    await pool.end();
    const outcomes = await Promise.allSettled([batches.read(double(1)), batches.write(insert(99))]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    pool = new pg.Pool();
  });
});
