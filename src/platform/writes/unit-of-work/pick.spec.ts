import 'reflect-metadata';
import { Column, DataSource, Entity, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/test-database.js';
import { Clock } from '../../kernel/clock/clock.js';
import { minutes } from '../../kernel/clock/duration.js';
import { poolOptions } from '../../data/database/database.module.js';
import type { Int64 } from '../../kernel/json/int64.js';
import { writeJson } from '../../kernel/json/write-json.js';
import { Changes } from './changes.js';
import { declareEventType, type EventType, eventType } from './event-type.js';
import { pick } from './pick.js';

/** PostgreSQL cuts such a name. */
const LONG = 'a_name_of_more_than_the_sixty_three_bytes_that_an_identifier_may_have';

/**
 * A column of each type whose JSON is the same everywhere, with names that SQL could take for something else.
 */
@Entity('picked')
class Picked {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', name: 'picked_id' })
  id!: Int64;

  @Column('text', { nullable: true, name: 'written' })
  data!: string | null;

  @Column('varchar', { nullable: true })
  event!: string | null;

  @Column('bigint', { nullable: true, name: 'odd' })
  'odd "name"'!: Int64 | null;

  @Column({ nullable: true, type: 'integer' })
  small!: number | null;

  @Column({ nullable: true, type: Boolean })
  yes!: boolean | null;

  @Column('uuid', { nullable: true })
  uuid!: string | null;

  @Column('timestamptz', { nullable: true })
  at!: Date | null;

  @Column('numeric', { precision: 10, scale: 2, nullable: true })
  price!: string | null;

  @Column('text', { nullable: true, name: 'long' })
  [LONG]!: string | null;
}

class PickedData {
  readonly data!: string | null;
  readonly id!: Int64;
  readonly event!: string | null;
  readonly 'odd "name"'!: Int64 | null;
  readonly small!: number | null;
  readonly yes!: boolean | null;
  readonly uuid!: string | null;

  static readonly from = pick<Picked, PickedData>(
    'data',
    'id',
    'event',
    'odd "name"',
    'small',
    'yes',
    'uuid',
  );
}

class WithoutId {
  readonly small!: number | null;

  static readonly from = pick<Picked, WithoutId>('small');
}

/** PostgreSQL and JavaScript write a time differently. */
class WithTime {
  readonly id!: Int64;
  readonly at!: Date | null;

  static readonly from = pick<Picked, WithTime>('id', 'at');
}

/** PostgreSQL would write a number, and JavaScript has a string. */
class WithPrice {
  readonly id!: Int64;
  readonly price!: string | null;

  static readonly from = pick<Picked, WithPrice>('id', 'price');
}

class WithLongName {
  readonly id!: Int64;
  readonly [LONG]!: string | null;

  static readonly from = pick<Picked, WithLongName>('id', LONG);
}

class Derived extends PickedData {
  readonly before!: boolean | null;

  static override from(row: Picked, before = row): Derived {
    return Object.assign(PickedData.from(row), { before: before.yes });
  }
}

@Entity('picked_by_name')
class ByName {
  @PrimaryColumn('text')
  id!: string;
}

class ByNameData {
  readonly id!: string;

  static readonly from = pick<ByName, ByNameData>('id');
}

const COLUMNS = Array.from({ length: 60 }, (_, i) => `c${i}`);

/** `json_build_object` has at most 50 members. */
@Entity('picked_wide')
class Wide {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' })
  id!: Int64;
}
for (const name of COLUMNS) Column('text', { nullable: true })(Wide.prototype, name);

class WideData {
  static readonly from = (
    pick as unknown as (...names: string[]) => (row: Wide) => WideData
  ) // the class does not declare the columns
  ('id', ...COLUMNS);
}

const type = <Row>(name: string, data: EventType<Row>['data']) =>
  eventType<Row, object>(`picked.${name}`, data, { description: 'Picked.' });
const PICKED = type<Picked>('whole', PickedData);
const WITHOUT_ID = type<Picked>('without_id', WithoutId);
const WITH_TIME = type<Picked>('with_time', WithTime);
const WITH_PRICE = type<Picked>('with_price', WithPrice);
const WITH_LONG_NAME = type<Picked>('with_long_name', WithLongName);
const DERIVED = type<Picked>('derived', Derived);
const WIDE = type<Wide>('wide', WideData);
const BY_NAME = type<ByName>('by_name', ByNameData);

let database: TestDatabase;
let dataSource: DataSource;
let changes: Changes;

beforeAll(async () => {
  for (const one of [PICKED, WITHOUT_ID, WITH_TIME, WITH_PRICE, WITH_LONG_NAME, DERIVED, WIDE, BY_NAME])
    declareEventType(one);
  database = await createTestDatabase();
  dataSource = await new DataSource({
    ...poolOptions(database.url),
    connectTimeoutMS: minutes(2), // the machine may be busy
    entities: [Picked, ByName, Wide],
  }).initialize();
  for (const { query } of (await dataSource.driver.createSchemaBuilder().log()).upQueries)
    if (query.startsWith('CREATE TABLE "picked')) await dataSource.query(query);
  changes = new Changes(dataSource, new Clock());
});
afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});
beforeEach(() => dataSource.query('TRUNCATE event_outbox'));

const texts = async () =>
  (await dataSource.query<{ data: string }[]>('SELECT data::text AS data FROM event_outbox ORDER BY id')).map(
    ({ data }) => data,
  );

/** The transactions, and the statements in them, that have written rows of a table. */
const writers = (table: string) =>
  dataSource.query<object[]>(
    `SELECT xmin, cmin FROM ${table} ORDER BY xmin::text::bigint, cmin::text::bigint`,
  );

describe('pick', () => {
  it('makes a DTO of the members alone', () => {
    const row = Object.assign(new Picked(), { id: 1, small: 2, at: new Date() });
    expect(WithoutId.from(row)).toEqual({ small: 2 });
    expect(Object.keys(PickedData.from(row))[0]).toBe('data');
  });

  it('refuses a member that is named twice', () => {
    class Two {
      readonly id!: Int64;
      readonly small!: number | null;
    }
    expect(() => pick<Picked, Two>('id', 'id')).toThrow('pick() names id twice');
  });

  it('does not compile without one of the members, or with one that the row does not have so', () => {
    class Two {
      readonly id!: Int64;
      readonly small!: number | null;
    }
    class Text {
      readonly at!: string;
    }
    const made = [
      // @ts-expect-error small is missing
      pick<Picked, Two>('id'),
      // @ts-expect-error Two has no such member
      pick<Picked, Two>('id', 'yes'),
      // @ts-expect-error it is a Date in the row
      pick<Picked, Text>('at'),
    ];
    expect(made).toHaveLength(3); // the compiler has refused each
  });
});

describe('an event whose data are picked', () => {
  const ALL: Partial<Picked> = {
    data: 'é\u{1F600}"\\\b\f\n\r\t\u0001\u007f\u2028/<>',
    event: '',
    'odd "name"': 9_223_372_036_854_775_807n,
    small: -2_147_483_648,
    yes: false,
    uuid: 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11',
  };

  it.each<[string, Partial<Picked>]>([
    ['values', ALL],
    ['nulls', {}],
    ['the smallest integer', { 'odd "name"': -9_223_372_036_854_775_808n }],
    ['a number', { 'odd "name"': 5, small: 0 }],
    ['another spelling', { uuid: 'A0EEBC999C0B4EF8BB6D6BB9BD380A11' }],
  ])('says what the row says, and is compact, with the id first: %s', async (_, values) => {
    const row = await changes.insert(Picked, values, PICKED);
    const [text = ''] = await texts();
    expect(text).toMatch(new RegExp(`^{"id":${row.id},"data":`));
    expect(JSON.parse(text)).toEqual(JSON.parse(writeJson(PickedData.from(row))));
    expect(text.replaceAll(/"(\\.|[^"\\])*"/g, '')).not.toMatch(/\s/);
    expect(text.includes('9223372036854775807')).toBe(values === ALL);
  });

  it('has the id although the data does not pick it', async () => {
    const { id } = await changes.insert(Picked, { small: 1 }, WITHOUT_ID);
    expect(await texts()).toEqual([`{"id":${id},"small":1}`]);
  });

  it('may have more members than functions of PostgreSQL have parameters', async () => {
    const values = Object.fromEntries(COLUMNS.map((name) => [name, `of ${name}`]));
    const { id } = await changes.insert(Wide, values, WIDE);
    const [text = ''] = await texts();
    expect(JSON.parse(text)).toEqual({ id, ...values });
  });

  it('is written in the statement that inserts the row, whatever is given', async () => {
    await dataSource.query('TRUNCATE picked');
    for (const values of [ALL, {}, { small: 5 }]) await changes.insert(Picked, values, PICKED);
    await changes.transaction(async (inside) => {
      for (const small of [1, 2]) await inside.insert(Picked, { small }, PICKED);
    });
    expect(await writers('event_outbox')).toEqual(await writers('picked'));
    expect(await texts()).toHaveLength(5);
    await dataSource.query('TRUNCATE event_outbox');
    await changes.insert(ByName, { id: 'a' }, BY_NAME);
    expect(await writers('event_outbox')).toEqual(await writers('picked_by_name'));
  });

  it('is made by JavaScript if PostgreSQL writes a member in another form, or if a class derives more', async () => {
    const at = new Date('2026-01-02T03:04:05.678Z');
    const { id } = await changes.insert(Picked, { at }, WITH_TIME);
    const long = await changes.insert(Picked, { [LONG]: 'a' }, WITH_LONG_NAME);
    const derived = await changes.insert(Picked, { yes: true }, DERIVED);
    const [one = '', two, other = ''] = await texts();
    expect(two).toBe(`{"id":${long.id},"${LONG}":"a"}`);
    expect(one).toBe(`{"id":${id},"at":"2026-01-02T03:04:05.678Z"}`);
    expect(JSON.parse(other)).toMatchObject({ id: derived.id, yes: true, before: true });
  });

  it.each(['12.5', '12.50', '0', '99999999.99'])(
    'has a decimal as the string that the row has: %s',
    async (price) => {
      const row = await changes.insert(Picked, { price }, WITH_PRICE);
      expect(row.price).toMatch(/^\d+\.\d\d$/);
      const [other] = await changes.insertAll(Picked, [{ price }], WITH_PRICE);
      expect(await texts()).toEqual([
        `{"id":${row.id},"price":"${row.price}"}`,
        `{"id":${other?.id},"price":"${row.price}"}`,
      ]);
    },
  );

  it('is not written if the row is refused', async () => {
    await changes.insert(ByName, { id: 'taken' }, BY_NAME);
    await expect(changes.insert(ByName, { id: 'taken' }, BY_NAME)).rejects.toMatchObject({
      driverError: { code: '23505' },
    });
    await dataSource.query(`
      CREATE FUNCTION refuse_row() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON picked_by_name FOR EACH ROW EXECUTE FUNCTION refuse_row()`);
    await expect(changes.insert(ByName, { id: 'other' }, BY_NAME)).rejects.toThrow('A trigger');
    expect(await texts()).toHaveLength(1);
  });
});
