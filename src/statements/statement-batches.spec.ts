import pg from 'pg';
import { createTestDatabase, type TestDatabase, withClient } from '../../test/support/test-database.js';
import { isDatabaseAway } from '../database/database-away.js';
import { StatementBatches } from './statement-batches.js';
import type { Run } from './statement.js';

/** As in the service: shorter than a batch may take, and far shorter than all its statements together. */
const SLOW = { pipeline: true, statement_timeout: 1_250 };

let database: TestDatabase;
let pool: pg.Pool;
let batches: StatementBatches;

beforeAll(async () => {
  database = await createTestDatabase('template1');
  await withClient(database.url, (client) => client.query('CREATE TABLE numbers (n integer PRIMARY KEY)'));
});
afterAll(() => database.drop());
beforeEach(() => {
  // `pipeline` is not in the types yet
  pool = new pg.Pool({ connectionString: database.url, max: 3, ...{ pipeline: true } });
  pool.on('error', () => undefined);
  batches = new StatementBatches(pool);
});
afterEach(() => pool.end());

const double = (n: number): Run => ({ name: 'double', text: 'SELECT $1::int * 2 AS twice', values: [n] });
const divide = (n: number): Run => ({ name: 'divide', text: 'SELECT 12 / $1::int AS part', values: [n] });
const insert = (n: number): Run => ({
  name: 'insert',
  text: 'INSERT INTO numbers VALUES ($1) RETURNING n',
  values: [n],
});
const numbersFrom = (n: number): Run => ({
  name: 'from',
  text: 'SELECT n FROM numbers WHERE n >= $1 ORDER BY n',
  values: [n],
});
const backend = (n: number): Run => ({
  name: 'backend',
  text: 'SELECT pg_backend_pid() AS pid, $1::int AS n',
  values: [n],
});
const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);

describe('statements of one turn', () => {
  it('each get their own answer', async () => {
    const answers = await Promise.all(upTo(100).map((n) => batches.read<{ twice: number }>(double(n))));
    expect(answers).toEqual(upTo(100).map((n) => [{ twice: n * 2 }]));
  });

  it('go over one connection', async () => {
    const answers = await Promise.all(upTo(20).map((n) => batches.read<{ pid: number }>(backend(n))));
    expect(new Set(answers.map(([row]) => row?.pid)).size).toBe(1);
  });

  it('go over several when there are many, and never over more than the pool has', async () => {
    const answers = await Promise.all(upTo(500).map((n) => batches.read<{ pid: number }>(backend(n))));
    expect(new Set(answers.map(([row]) => row?.pid)).size).toBeGreaterThan(1);
    expect(pool.totalCount).toBeLessThanOrEqual(3);
  });

  it('fail by themselves', async () => {
    const outcomes = await Promise.allSettled(
      [3, 0, 4].map((n) => batches.read<{ part: number }>(divide(n))),
    );
    expect(outcomes).toEqual([
      { status: 'fulfilled', value: [{ part: 4 }] },
      { status: 'rejected', reason: expect.objectContaining({ code: '22012' }) },
      { status: 'fulfilled', value: [{ part: 3 }] },
    ]);
  });

  it('that read the same are asked once', async () => {
    const [one, same, other] = await Promise.all([
      batches.read(double(1)),
      batches.read(double(1)),
      batches.read(double(2)),
    ]);
    expect(same).toBe(one);
    expect(other).not.toBe(one);
  });

  it('that read the same later are asked again', async () => {
    expect(await batches.read(double(1))).not.toBe(await batches.read(double(1)));
  });

  it('that write the same are each done', async () => {
    const outcomes = await Promise.allSettled([insert(1), insert(1)].map((run) => batches.write(run)));
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('that write are committed each by itself', async () => {
    await Promise.allSettled([10, 10, 11, 12, 11, 13].map((n) => batches.write(insert(n))));
    const rows = await batches.read<{ n: number }>(numbersFrom(10));
    expect(rows.map(({ n }) => n)).toEqual([10, 11, 12, 13]);
  });
});

describe('statements that have to wait for a lock', () => {
  let patient: pg.Pool;
  let waiting: StatementBatches;

  beforeEach(() => {
    patient = new pg.Pool({ connectionString: database.url, max: 1, ...SLOW });
    patient.on('error', () => undefined);
    waiting = new StatementBatches(patient);
  });
  afterEach(() => patient.end());

  /** What becomes of twelve statements of one turn, while somebody else holds the table. */
  const whileLocked = () =>
    withClient(database.url, async (other) => {
      await other.query('BEGIN; LOCK TABLE numbers');
      const began = performance.now();
      const outcomes = await Promise.allSettled(upTo(12).map((n) => waiting.read(numbersFrom(n))));
      const reasons = outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason : undefined));
      return { took: performance.now() - began, reasons };
    });

  it.each([
    ['prepared before', () => waiting.read(numbersFrom(99))],
    ['of which the first would have prepared the others', () => Promise.resolve()],
  ])('fail together and in time, as when the database is away: %s', async (_, prepare) => {
    await prepare();
    const { took, reasons } = await whileLocked();
    expect(took).toBeLessThan(2_000);
    expect(reasons.map(isDatabaseAway)).toEqual(reasons.map(() => true));
    expect(await waiting.read(numbersFrom(1_000))).toEqual([]);
  });
});

describe('a connection that breaks', () => {
  const killed = (n: number): Run => ({
    name: 'suicide',
    text: 'SELECT pg_terminate_backend(pg_backend_pid()), $1::int',
    values: [n],
  });

  it('fails what was on it, and the next statement gets another one', async () => {
    const lost = await Promise.allSettled([batches.read(killed(1)), batches.read(double(1))]);
    expect(lost.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await batches.read(double(4))).toEqual([{ twice: 8 }]);
    expect(pool.totalCount).toBe(1);
  });

  it('that cannot be had fails every statement', async () => {
    await pool.end();
    const outcomes = await Promise.allSettled([batches.read(double(1)), batches.write(insert(99))]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    pool = new pg.Pool();
  });
});
