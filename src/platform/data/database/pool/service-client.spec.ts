import { jest } from '@jest/globals';
import { createHook } from 'node:async_hooks';
import { execFile } from 'node:child_process';
import type { EventEmitter } from 'node:events';
import { setImmediate as nextTick } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Client } from 'pg';
import { DataSource, type EntityManager } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../../../../../test/support/test-database.js';
import { minutes } from '../../../kernel/clock/duration.js';
import { poolOptions } from '../database.module.js';
import { TransactionRolledBack } from '../transaction-rolled-back.js';
import { ServiceClient } from './service-client.js';

const MEASURE = fileURLToPath(new URL('../../../../../test/support/query-garbage.mjs', import.meta.url));

jest.setTimeout(minutes(4)); // generous, for slow machines

let database: TestDatabase;
let service: DataSource;

beforeAll(async () => {
  database = await createTestDatabase('template1');
  service = await new DataSource(poolOptions(database.url)).initialize();
  await service.query('CREATE TABLE notes (text text PRIMARY KEY CHECK (text <> $$bad$$))');
});
beforeEach(() => service.query('TRUNCATE notes'));
afterAll(async () => {
  await service.destroy();
  await database.drop();
});

const write = (by: DataSource | EntityManager, text: string) =>
  by.query('INSERT INTO notes (text) VALUES ($1)', [text]);
const texts = async () =>
  (await service.query<{ text: string }[]>('SELECT text FROM notes ORDER BY text')).map(({ text }) => text);

it('rejects a connect() that end() overtakes, at every point of it', async () => {
  const overtaken = async (ticks: number): Promise<string> => {
    const client = new ServiceClient(database.url);
    client.on('error', () => undefined);
    const connected = client.connect().then(
      () => 'open',
      () => 'rejected',
    );
    for (let tick = 0; tick < ticks; tick++) await nextTick();
    await client.end();
    return connected;
  };
  const outcomes = await Promise.all(Array.from({ length: 20 }, (_, ticks) => overtaken(ticks)));
  expect(outcomes[0]).toBe('rejected');
  for (const outcome of outcomes) expect(['rejected', 'open']).toContain(outcome);
});

it('takes a response that has come while this process was busy, even after the time limit', async () => {
  const client = new ServiceClient(database.url);
  await client.connect();
  const asked = client.query({ text: 'SELECT 1 AS one', query_timeout: 100 });
  const until = performance.now() + 500; // milliseconds
  while (performance.now() < until);
  expect((await asked).rows).toEqual([{ one: 1 }]);
  await client.end();
});

describe('the time limit of a query', () => {
  const opened = async () => {
    const client = new ServiceClient(database.url);
    client.on('error', () => undefined);
    await client.connect();
    return client;
  };
  const sleep = (timeout?: number) => ({ text: 'SELECT pg_sleep(120)', query_timeout: timeout });

  it('is its own, whatever the limits of the queries before it on the connection', async () => {
    const client = await opened();
    for (const timeout of [2 ** 33, 1e9, 60_000, Infinity])
      await client.query({ text: 'SELECT 1', query_timeout: timeout });
    await expect(client.query(sleep(50))).rejects.toThrow('Query read timeout after 0.05 s');
  });

  it('begins when it is sent, and ends the connection with all that wait on it', async () => {
    const client = await opened();
    const [short, long, ...others] = await Promise.allSettled([
      client.query(sleep(100)),
      client.query(sleep(60_000)),
      client.query('SELECT 1'),
    ]);
    expect(short).toMatchObject({ reason: { message: expect.stringContaining('after 0.1 s') } });
    for (const { status } of [long, ...others]) expect(status).toBe('rejected');
  });

  it('does not shorten a later query on the same connection', async () => {
    const client = await opened();
    await client.query({ text: 'SELECT 1', query_timeout: 200 });
    expect((await client.query('SELECT pg_sleep(0.5), 1 AS one')).rows).toMatchObject([{ one: 1 }]);
    await client.end();
  });

  it('needs no new timer for each query', async () => {
    const client = await opened();
    await client.query('SELECT 1');
    let timers = 0;
    const hook = createHook({ init: (_, type) => (timers += Number(type === 'Timeout')) }).enable();
    for (let i = 0; i < 20; i++) await client.query('SELECT 1');
    hook.disable();
    expect(timers).toBe(0);
    await client.end();
  });
});

describe('a transaction', () => {
  it('throws at COMMIT if the error of a failed statement was caught', async () => {
    const done = service.transaction(async (manager) => {
      await write(manager, 'a');
      await write(manager, 'bad').catch(() => undefined);
    });
    await expect(done).rejects.toThrow(new TransactionRolledBack().message);
    expect(await texts()).toEqual([]);
  });

  it('is known to have failed as soon as PostgreSQL has sent the error', async () => {
    await service.transaction(async (manager) => {
      const client = (await manager.queryRunner?.connect()) as Client & { readonly connection: EventEmitter };
      const known = jest.fn();
      client.connection.once('errorMessage', () => {
        known(client.getTransactionStatus()); // the new status may be in the next packet
      });
      await manager.query('SAVEPOINT before');
      await write(manager, 'bad').catch(() => undefined);
      expect(known).toHaveBeenCalledWith('E');
      await manager.query('ROLLBACK TO SAVEPOINT before');
      expect(client.getTransactionStatus()).toBe('T');
    });
  });

  it('throws at COMMIT if a failed statement was not awaited', async () => {
    let late: Promise<unknown> = Promise.resolve();
    const done = service.transaction(async (manager) => {
      await write(manager, 'a');
      late = write(manager, 'bad').catch(() => undefined);
    });
    await expect(done).rejects.toThrow(new TransactionRolledBack().message);
    await late;
    expect(await texts()).toEqual([]);
  });

  it('notifies subscribers of a rollback, not of a commit, if the COMMIT rolls back', async () => {
    const seen: string[] = [];
    service.subscribers.push({
      afterTransactionCommit: () => void seen.push('commit'),
      afterTransactionRollback: () => void seen.push('rollback'),
    });
    const done = service.transaction((manager) => write(manager, 'bad').catch(() => undefined));
    await expect(done).rejects.toThrow(new TransactionRolledBack().message);
    service.subscribers.pop();
    expect(seen).toEqual(['rollback']);
  });
});

it('leaves nothing of a query in the old generation', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', MEASURE, database.url]);
  expect(Number(stdout)).toBeLessThan(20); // kilobytes; the rows of one query have about 100
});
