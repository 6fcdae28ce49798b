import {
  createTestDatabase,
  type TestDatabase,
  withClient,
} from '../../../../../test/support/test-database.js';
import { PostgresClient } from './postgres-client.js';

let database: TestDatabase;
let client: PostgresClient;
beforeAll(async () => {
  database = await createTestDatabase('template1');
  const name = new URL(database.url).pathname.slice(1);
  await withClient(database.url, (other) =>
    other.query(
      `ALTER DATABASE ${name} SET datestyle = 'SQL, DMY'; ALTER DATABASE ${name} SET intervalstyle = 'iso_8601'`,
    ),
  );
  client = new PostgresClient(database.url);
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

const read = async (value: string): Promise<unknown> =>
  (await client.query<{ value: unknown }>(`SELECT ${value} AS value`)).rows[0]?.value;

const INSTANT = new Date('2026-11-28T19:06:49.123Z');
const UNREADABLE = /which is not a time that can be read/;

it('asks for ISO, whatever the database sets', async () => {
  expect(await read(`'2026-11-28T19:06:49.123Z'::timestamptz`)).toEqual(INSTANT);
  expect(await read(`current_setting('datestyle')`)).toMatch(/^ISO/);
});

it.each([
  ['SQL, DMY', 'timestamptz'],
  ['SQL, DMY', 'timestamp'],
  ['SQL, MDY', 'date'],
  ['German', 'timestamptz'],
  ['German', 'date'],
  ['Postgres, DMY', 'timestamp'],
  ['Postgres, MDY', 'date'],
])('a session that changes it to %s gets an error for a %s, never null', async (style, type) => {
  await client.query(`SET datestyle = '${style}'`);
  await expect(read(`now()::${type}`)).rejects.toThrow(UNREADABLE);
  await expect(read(`ARRAY[now()::${type}]`)).rejects.toThrow(UNREADABLE);
  expect(await read('1')).toBe(1); // the connection goes on
  await client.query(`SET datestyle = 'ISO'`);
});

it('reads null, arrays, infinity, years beyond 9999, BC and offsets with seconds as pg does', async () => {
  expect(await read('NULL::timestamptz')).toBeNull();
  expect(await read(`ARRAY['2026-11-28T19:06:49.123Z', NULL]::timestamptz[]`)).toEqual([INSTANT, null]);
  expect(await read(`'infinity'::timestamptz`)).toBe(Infinity);
  expect(await read(`'-infinity'::timestamp`)).toBe(-Infinity);
  await client.query(`SET timezone = 'Europe/Amsterdam'`);
  for (const text of ['12026-11-28T19:06:49.123Z', '1936-01-02T03:04:05.678Z', '0099-01-02T03:04:05.678Z'])
    expect(await read(`'${text}'::timestamptz`)).toEqual(new Date(text.replace(/^12026/, '+012026')));
  expect(await read(`'0044-03-15T12:00:00Z BC'::timestamptz`)).toEqual(new Date('-000043-03-15T12:00:00Z'));
  await client.query(`SET timezone = 'UTC'`);
});

it('a time that no Date can hold fails the query', async () => {
  await expect(read(`'290000-01-01T00:00:00Z'::timestamptz`)).rejects.toThrow(UNREADABLE);
});

it('reads intervals of one style only', async () => {
  const value = `'1 year 2 mons -3 days +04:05:06.7'::interval`;
  await expect(read(value)).rejects.toThrow(UNREADABLE);
  for (const style of ['sql_standard', 'postgres_verbose']) {
    await client.query(`SET intervalstyle = '${style}'`);
    await expect(read(value)).rejects.toThrow(UNREADABLE);
  }
  await client.query(`SET intervalstyle = 'postgres'`);
  expect(await read(value)).toMatchObject({
    years: 1,
    months: 2,
    days: -3,
    hours: 4,
    minutes: 5,
    seconds: 6,
  });
  expect(await read(`'0'::interval`)).toBeDefined();
  expect(await read(`ARRAY['-1 mons'::interval, '-00:00:01'::interval, NULL]`)).toHaveLength(3);
});
