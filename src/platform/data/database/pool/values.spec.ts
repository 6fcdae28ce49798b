import { Column, DataSource, Entity, PrimaryColumn } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../../../../../test/support/test-database.js';
import { useTimeZone } from '../../../../../test/support/time-zone.js';
import { poolOptions } from '../database.module.js';

@Entity('on_days')
class Days {
  @PrimaryColumn('date')
  id!: string;

  @Column({ type: 'date', utc: true })
  utc!: string;

  @Column('date', { array: true })
  all!: string[];
}

let database: TestDatabase;
let dataSource: DataSource;

beforeAll(async () => {
  database = await createTestDatabase('template1');
  dataSource = await new DataSource({ ...poolOptions(database.url), entities: [Days] }).initialize();
  await dataSource.query(
    'CREATE TABLE on_days (id date PRIMARY KEY, utc date NOT NULL, "all" date[] NOT NULL)',
  );
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

  it('a day is a text, in an array and in an entity as well', async () => {
    const days = ['2026-03-29', '1892-05-01', '0099-12-31', '12026-01-01', '0044-03-15 BC', 'infinity'];
    expect(await dataSource.query('SELECT $1::date[] AS many', [days])).toEqual([{ many: days }]);
    for (const day of days) {
      expect(
        await dataSource.query('SELECT $1::date AS one, ARRAY[[$1], [NULL]]::date[] AS many', [day]),
      ).toEqual([{ one: day, many: [[day], [null]] }]);
      const row = { id: day, utc: day, all: [day] };
      await dataSource.manager.insert(Days, row);
      expect(await dataSource.manager.findBy(Days, { id: day })).toEqual([row]);
    }
    await dataSource.manager.clear(Days);
  });

  it('PostgreSQL has the same instant', async () => {
    for (const date of DATES)
      expect(
        await dataSource.query('SELECT (extract(epoch FROM $1::timestamptz) * 1000)::float8 AS time', [date]),
      ).toEqual([{ time: date.getTime() }]);
  });
});

describe('numbers', () => {
  const read = async (sql: string): Promise<unknown> => {
    const [row] = await dataSource.query<{ it: unknown }[]>(`SELECT ${sql} AS it`);
    return row?.it;
  };

  it('in an array are what they are in a column', async () => {
    expect(await read(`'{1,NULL,9007199254740993,-9223372036854775808}'::bigint[]`)).toEqual([
      1,
      null,
      9007199254740993n,
      -9223372036854775808n,
    ]);
    expect(await read(`'{{1},{2}}'::bigint[]`)).toEqual([[1], [2]]);
    expect(await read(`'{12345678901234567890.12,0.10}'::numeric[]`)).toEqual([
      '12345678901234567890.12',
      '0.10',
    ]);
  });

  it.each(['json', 'jsonb'])('in %s are doubles, but for an integer that no double holds', async (type) => {
    const text =
      '{"a":9007199254740993,"b":[9007199254740992,9223372036854775807],"c":0.1234567890123456789,"d":"9007199254740993"}';
    const value = {
      a: 9007199254740993n,
      b: [9007199254740992, 9223372036854775807n],
      c: 0.12345678901234568,
      d: '9007199254740993',
    };
    expect(await read(`'${text}'::${type}`)).toEqual(value);
    expect(await read(`ARRAY['${text}'::${type}, NULL]`)).toEqual([value, null]);
    expect(await read(`'[1e17,123456789012345678901234567890,1]'::${type}`)).toEqual([
      1e17, 123456789012345678901234567890, 1,
    ]);
    const doubles = '[123456789012345664, 1152921504606846976]'; // JSON.stringify() would write other digits
    expect(await read(`'${doubles}'::${type}`)).toEqual([123456789012345664n, 1152921504606846976n]);
    expect(await read(`'null'::${type}`)).toBeNull();
  });
});

describe('New York', () => {
  useTimeZone('America/New_York');

  it('has seconds in its offset', () => {
    expect(new Date('1850-01-01T00:00:00Z').getSeconds()).toBe(58);
  });
});
