import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import QueryStream from 'pg-query-stream';
import { createTestDatabase, type TestDatabase } from '../../../../../test/support/test-database.js';
import { hours, minutes, seconds } from '../../../kernel/clock/duration.js';
import { eventually } from '../../../../../test/support/eventually.js';
import { ServicePool } from './service-pool.js';

describe('a connection', () => {
  let database: TestDatabase;
  let pool: ServicePool;

  beforeAll(async () => {
    database = await createTestDatabase('template1');
  });
  beforeEach(() => {
    pool = new ServicePool({ connectionString: database.url, max: 1 });
    pool.on('error', () => undefined);
  });
  afterEach(() => pool.end());
  afterAll(() => database.drop());

  const one = { text: 'SELECT 1 AS one', rows: [{ one: 1 }] };
  /** A query that only shows that the connection is usable. */
  const patiently = { text: one.text, query_timeout: minutes(1) };
  const impatient = async () => {
    await pool.end();
    pool = new ServicePool({ connectionString: database.url, max: 1, queryTimeout: seconds(1) });
    pool.on('error', () => undefined);
    return pool.connect();
  };

  it('has no timeout while a stream waits for its consumer', async () => {
    const client = await impatient();
    const sql = 'SELECT n FROM generate_series(1, 5000) AS n';
    const rows: AsyncIterable<{ n: number }> = client.query(new QueryStream(sql));
    let count = 0;
    for await (const { n } of rows) {
      count = n;
      if (n === 10) await delay(seconds(2));
    }
    expect(count).toBe(5_000);
    expect((await client.query(patiently)).rows).toEqual(one.rows);
    client.release();
    expect(pool.totalCount).toBe(1);
  });

  it('is closed after a query timeout', async () => {
    const client = await impatient();
    await expect(client.query('SELECT pg_sleep(60)')).rejects.toThrow('Query read timeout');
    client.release();
    expect((await pool.query(patiently)).rows).toEqual(one.rows);
    expect(client).not.toBe(await pool.connect().then((other) => (other.release(), other)));
  });

  it('has the timeout of a query that names one', async () => {
    const client = await pool.connect();
    const slow = { text: 'SELECT pg_sleep(60)', query_timeout: seconds(0.2) };
    await expect(client.query(slow)).rejects.toThrow('Query read timeout after 0.2 s');
    client.release();
    expect((await pool.query(one.text)).rows).toEqual(one.rows);
  });

  it.each(['BEGIN', 'BEGIN; SELECT 1 / 0'])('is closed if it is released after %s', async (sql) => {
    const client = await pool.connect();
    await client.query(sql).catch(() => undefined);
    client.release();
    await eventually(() => client.getTransactionStatus() !== 'I');
    const { rows } = await pool.query<{ alone: boolean }>('SELECT now() = statement_timestamp() AS alone');
    expect(rows).toEqual([{ alone: true }]);
  });
});

describe('the end of a pool', () => {
  it('does not wait for a connection that a frozen server has accepted and never opens', async () => {
    const frozen = createServer().listen(0, '127.0.0.1');
    await once(frozen, 'listening');
    const connectionString = `postgres://x@127.0.0.1:${(frozen.address() as AddressInfo).port}/x`;
    const pool = new ServicePool({ connectionString, connectionTimeoutMillis: hours(1) });
    const accepted = once(frozen, 'connection') as Promise<[Socket]>;
    const refused = pool.connect().catch((error: unknown) => error);
    const [socket] = await accepted;
    await pool.end();
    socket.destroy();
    expect(await refused).toBeInstanceOf(Error);
    frozen.close();
  });
});
