import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../test/support/test-database.js';
import { poolOptions } from '../database.module.js';
import { seconds } from '../../kernel/clock/duration.js';
import { eventually } from '../../../test/support/eventually.js';
import { isDatabaseUnavailable } from '../database-unavailable.js';
import { type ReadTimeoutClient } from './read-timeout.client.js';
import { CircuitBreakerPool } from './circuit-breaker.pool.js';

/** Milliseconds: shorter than in the service. */
const READ_TIMEOUT = seconds(0.5);

/** A real PostgreSQL, through a wire that can be frozen. */
describe('connections to a database that stops responding', () => {
  let database: TestDatabase;
  let wire: Server;
  let pool: CircuitBreakerPool;
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
    pool = new CircuitBreakerPool({
      connectionString: target.href,
      connectionTimeoutMillis: connectTimeoutMS,
      max: 2,
      ...extra,
    });
    pool.on('error', () => undefined);
    pool.on('connect', (client) => {
      (client as unknown as ReadTimeoutClient).readTimeout = READ_TIMEOUT; // what the pool makes
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

  it('are not given up because the process itself was busy', async () => {
    const outcomes = Promise.all([1, 2, 3].map((n) => pool.query('SELECT $1::int AS n', [n])));
    const end = performance.now() + READ_TIMEOUT + seconds(0.5);
    while (performance.now() < end); // nothing of what has arrived is read meanwhile
    expect((await outcomes).map(({ rowCount }) => rowCount)).toEqual([1, 1, 1]);
  });

  it('fails its queries, however many are sent meanwhile', async () => {
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    const client = await pool.connect();
    await delay(READ_TIMEOUT + seconds(0.5)); // idle for longer than it may be silent
    client.on('error', () => undefined);
    frozen = true;
    const sent: Promise<unknown>[] = [];
    const sending = setInterval(() => sent.push(pool.query('SELECT 1').catch(() => undefined)), 20);
    const { away, after } = await failure(() => client.query('SELECT 1'));
    clearInterval(sending);
    client.release(true);
    await Promise.all(sent);
    expect(away).toBe(true);
    expect(after).toBeLessThan(seconds(5)); // each further one could put it off
  });

  it('fails every further one at once', async () => {
    const { away, after } = await failure(() => pool.query('SELECT 1'));
    expect(away).toBe(true);
    expect(after).toBeLessThan(READ_TIMEOUT);
  });

  it('works again by itself once the database responds', async () => {
    frozen = false;
    await eventually(async () => !(await failure(() => pool.query('SELECT 2'))).away);
  });

  it('ends although the server does not close its connections', async () => {
    await pool.query('SELECT 3');
    frozen = true;
    await pool.end();
  });
});
