import { minutes } from '../../kernel/clock/duration.js';
import { createTestDatabase, type TestDatabase, withClient } from '../../../../test/support/test-database.js';
import { waitUntilWritable } from './writable.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase('template1');
});
afterAll(() => database.drop());

const setReadOnly = (value: 'on' | 'off') =>
  withClient(database.url, async (client) => {
    await client.query('SET default_transaction_read_only = off');
    const name = new URL(database.url).pathname.slice(1);
    await client.query(`ALTER DATABASE ${name} SET default_transaction_read_only = ${value}`);
  });

it('says nothing if PostgreSQL takes writes', async () => {
  const said: string[] = [];
  await waitUntilWritable(database.url, (line) => said.push(line));
  expect(said).toEqual([]);
});

it('says once that it waits, and ends when PostgreSQL takes writes', async () => {
  await setReadOnly('on');
  const said: string[] = [];
  let isWritable: Promise<void> | undefined;
  await waitUntilWritable(
    database.url,
    (line) => {
      said.push(line);
      isWritable = setReadOnly('off');
    },
    minutes(5),
  );
  expect(said).toEqual(['PostgreSQL is read-only. Waiting up to 300 s until it takes writes…']);
  await isWritable;
});

it('ends after its time, too', async () => {
  await setReadOnly('on');
  const said: string[] = [];
  await waitUntilWritable(database.url, (line) => said.push(line), 1);
  expect(said).toHaveLength(1);
});
