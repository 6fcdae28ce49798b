import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import QueryStream from 'pg-query-stream';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/test-database.js';
import { poolOptions } from '../database.module.js';
import { seconds } from '../../clock/duration.js';
import { eventually } from '../../../../test/support/eventually.js';
import { isDatabaseUnavailable } from '../database-unavailable.js';
import { QUERY_TIMEOUT, type ServiceClient } from './service-client.js';
import { ServicePool } from './service-pool.js';

/** A real PostgreSQL behind a proxy that can freeze the connection. */
describe('connections to a database that stops responding', () => {
  let database: TestDatabase;
  let wire: Server;
  let pool: ServicePool;
  let frozen = false;

  beforeAll(async () => {
    database = await createTestDatabase();
    const target = new URL(database.url);
    const port = Number(target.port);
    wire = createServer((client) => {
      const server = connect(port, target.hostname);
      client.on('data', (data) => frozen || server.write(data));
      server.on('data', (data) => frozen || client.write(data));
      client.on('error', () => undefined).on('close', () => server.destroy());
      server.on('error', () => undefined).on('close', () => client.destroy());
    }).listen(0, '127.0.0.1');
    await once(wire, 'listening');
    target.port = String((wire.address() as AddressInfo).port);
    const { extra, connectTimeoutMS } = poolOptions(target.href) as {
      extra: pg.PoolConfig;
      connectTimeoutMS: number;
    };
    pool = new ServicePool({
      connectionString: target.href,
      connectionTimeoutMillis: connectTimeoutMS,
      max: 2,
      ...extra,
    });
    pool.on('error', () => undefined);
    pool.on('connect', (client) => {
      (client as unknown as ServiceClient).queryTimeout = QUERY_TIMEOUT; // what the pool makes
    });
  });
  afterAll(async () => {
    wire.close();
    await database.drop();
  });

  async function failure(query: () => Promise<unknown>): Promise<{ away: boolean; after: number }> {
    const began = performance.now();
    const error: unknown = await query().then(
      () => new Error('responded'),
      (reason: unknown) => reason,
    );
    return { away: isDatabaseUnavailable(error), after: performance.now() - began };
  }

  it('fail their queries, however many are sent meanwhile', async () => {
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    const client = await pool.connect();
    await delay(QUERY_TIMEOUT + seconds(0.5)); // idle for longer than the timeout
    client.on('error', () => undefined);
    frozen = true;
    const sent: Promise<unknown>[] = [];
    const sending = setInterval(() => sent.push(pool.query('SELECT 1').catch(() => undefined)), 20);
    const { away, after } = await failure(() => client.query('SELECT 1'));
    clearInterval(sending);
    client.release();
    await Promise.all(sent);
    expect(away).toBe(true);
    expect(after).toBeLessThan(QUERY_TIMEOUT + seconds(2)); // further queries must not extend the timeout
  });

  it('recover once the database responds', async () => {
    frozen = false;
    await eventually(async () => !(await failure(() => pool.query('SELECT 2'))).away);
  });

  it('end within a second even if the server neither answers a query nor closes them', async () => {
    const client = await pool.connect();
    frozen = true;
    const query = failure(() => client.query('SELECT 3')).finally(() => {
      client.release();
    });
    await pool.end();
    const { away, after } = await query;
    expect(away).toBe(true);
    expect(after).toBeLessThan(seconds(2)); // leaves a margin
  });
});

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
  const impatient = async () => {
    const client = await pool.connect();
    (client as unknown as ServiceClient).queryTimeout = seconds(1);
    return client;
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
    expect((await client.query(one.text)).rows).toEqual(one.rows);
    client.release();
    expect(pool.totalCount).toBe(1);
  });

  it('is closed after a query timeout', async () => {
    const client = await impatient();
    await expect(client.query('SELECT pg_sleep(60)')).rejects.toThrow('Query read timeout');
    client.release();
    expect((await pool.query(one.text)).rows).toEqual(one.rows);
    expect(client).not.toBe(await pool.connect().then((other) => (other.release(), other)));
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
