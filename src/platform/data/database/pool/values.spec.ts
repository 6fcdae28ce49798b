import { DataSource } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../../../../../test/support/test-database.js';
import { useTimeZone } from '../../../../../test/support/time-zone.js';
import { poolOptions } from '../database.module.js';

let database: TestDatabase;
let dataSource: DataSource;

beforeAll(async () => {
  database = await createTestDatabase('template1');
  dataSource = await new DataSource(poolOptions(database.url)).initialize();
});
afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

const DATES = [
  '2026-07-01T12:34:56.789Z',
  '1936-06-01T00:00:00.001Z',
  '1850-02-28T23:59:59.999Z',
  '0099-12-31T00:00:00.000Z',
  '-000043-03-15T12:00:00.000Z',
  '+012026-01-01T00:00:00.000Z',
].map((iso) => new Date(iso));

describe.each([
  'UTC',
  'Europe/Amsterdam',
  'Europe/Berlin',
  'America/New_York',
  'Africa/Monrovia',
  'Asia/Kolkata',
])('in the zone %s', (zone) => {
  useTimeZone(zone);

  it.each(['timestamptz', 'timestamp'])('a date comes back as it was sent: %s', async (type) => {
    for (const date of DATES)
      expect(
        await dataSource.query(`SELECT $1::${type} AS one, $2::${type}[] AS many`, [date, [date]]),
      ).toEqual([{ one: date, many: [date] }]);
  });

  it('PostgreSQL has the same instant', async () => {
    for (const date of DATES)
      expect(
        await dataSource.query('SELECT (extract(epoch FROM $1::timestamptz) * 1000)::float8 AS time', [date]),
      ).toEqual([{ time: date.getTime() }]);
  });
});

describe('New York', () => {
  useTimeZone('America/New_York');

  it('has seconds in its offset', () => {
    expect(new Date('1850-01-01T00:00:00Z').getSeconds()).toBe(58);
  });
});
