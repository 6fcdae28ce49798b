import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../../../test/support/test-database.js';
import { poolOptions } from '../database.module.js';
import { seconds } from '../../../kernel/clock/duration.js';
import { eventually } from '../../../../../test/support/eventually.js';
import { isDatabaseUnavailable } from '../database-unavailable.js';
import { QUERY_TIMEOUT } from './service-client.js';
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
    const { away } = await failure(() => client.query('SELECT 1')); // which those sent meanwhile would extend for ever
    clearInterval(sending);
    client.release();
    await Promise.all(sent);
    expect(away).toBe(true);
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
    expect(after).toBeLessThan(QUERY_TIMEOUT);
  });
});
