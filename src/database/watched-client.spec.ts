import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../test/support/test-database.js';
import { connectionOptions } from './connection-options.js';
import { isDatabaseAway } from './database-away.js';

/** A real PostgreSQL, through a wire that can be frozen. */
describe('a connection to a database that goes silent', () => {
  let database: TestDatabase;
  let wire: Server;
  let pool: pg.Pool;
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
    const { extra } = connectionOptions(target.href) as { extra: pg.PoolConfig };
    pool = new pg.Pool({ connectionString: target.href, max: 1, ...extra });
    pool.on('error', () => undefined);
  });
  afterAll(async () => {
    await pool.end();
    wire.close();
    await database.drop();
  });

  it('fails the query within 3 s, as a database that is away', async () => {
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    frozen = true;
    const began = performance.now();
    const error: unknown = await pool.query('SELECT 1').catch((reason: unknown) => reason);
    expect(isDatabaseAway(error)).toBe(true);
    expect(performance.now() - began).toBeLessThan(3_000);
  });

  it('works again on a new connection', async () => {
    frozen = false;
    expect((await pool.query('SELECT 2 AS two')).rows).toEqual([{ two: 2 }]);
  });

  it('fails a query in the same way after the connection was idle for longer than that', async () => {
    const client = await pool.connect();
    client.release();
    await once(Reflect.get(client, 'connection').stream, 'timeout'); // the socket was idle
    frozen = true;
    const error: unknown = await pool.query('SELECT 1').catch((reason: unknown) => reason);
    expect(isDatabaseAway(error)).toBe(true);
  }, 15_000); // idle for 2.5 s, then silent for 2.5 s
});
