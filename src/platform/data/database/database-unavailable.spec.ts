import { createServer } from 'node:net';
import { once } from 'node:events';
import { Client } from 'pg';
import { freePort } from '../../../../test/support/free-port.js';
import { isDatabaseUnavailable } from './database-unavailable.js';
import { ServicePool } from './pool/service-pool.js';

const thrown = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('isDatabaseUnavailable', () => {
  it('is true if the database refuses a connection', async () => {
    const pool = new ServicePool({ host: '127.0.0.1', port: await freePort() });
    expect(isDatabaseUnavailable(await thrown(pool.query('SELECT 1')))).toBe(true);
    await pool.end();
  });

  it('is true while the database has no socket', async () => {
    const pool = new ServicePool({ host: '/nowhere' });
    expect(isDatabaseUnavailable(await thrown(pool.query('SELECT 1')))).toBe(true);
    await pool.end();
  });

  it('is true if the database resets a connection', async () => {
    const server = createServer((socket) => socket.once('data', () => socket.resetAndDestroy())).listen(
      0,
      '127.0.0.1',
    );
    await once(server, 'listening');
    const port = (server.address() as { port: number }).port;
    const pool = new ServicePool({ host: '127.0.0.1', port });
    expect(isDatabaseUnavailable(await thrown(pool.query('SELECT 1')))).toBe(true);
    await pool.end();
    server.close();
  });

  it('is false if a module cannot reach another server', async () => {
    const other = new Client({ host: '127.0.0.1', port: await freePort() }); // of the module's own
    const error = await thrown(other.connect());
    expect(error).toMatchObject({ code: 'ECONNREFUSED' });
    expect(isDatabaseUnavailable(error)).toBe(false);
  });

  it.each(['26000', '42P05'])('is true if a pooler mixes up prepared statements (%s)', (code) => {
    expect(isDatabaseUnavailable(Object.assign(new Error('prepared statement'), { code }))).toBe(true);
  });
});
