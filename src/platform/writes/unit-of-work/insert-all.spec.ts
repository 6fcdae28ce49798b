import 'reflect-metadata';
import {
  Column,
  DataSource,
  Entity,
  type EntityTarget,
  ManyToOne,
  PrimaryColumn,
  PrimaryGeneratedColumn,
  type Relation,
  VersionColumn,
} from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/test-database.js';
import { Clock } from '../../kernel/clock/clock.js';
import { minutes } from '../../kernel/clock/duration.js';
import { poolOptions } from '../../data/database/database.module.js';
import type { Int64 } from '../../kernel/json/int64.js';
import { writeJson } from '../../kernel/json/write-json.js';
import { Changes } from './changes.js';
import { declareEventType, eventData, type EventType, eventType } from './event-type.js';
import { pick } from './pick.js';

/** With a column of each type that statements of ours write. */
@Entity('many_simple')
class Simple {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', name: 'n' })
  id!: Int64;

  @Column('text', { nullable: true, name: 'the order' })
  text!: string | null;

  @Column('varchar', { length: 8, nullable: true })
  item!: string | null;

  @Column('bigint', { nullable: true })
  big!: Int64 | null;

  @Column('double precision', { nullable: true })
  float!: number | null;

  @Column('numeric', { precision: 10, scale: 2, nullable: true })
  price!: string | number | null;

  @Column('boolean', { default: true })
  yes!: boolean;

  @Column('timestamptz', { nullable: true })
  at!: Date | null;

  @Column('date', { nullable: true })
  day!: string | null;
}

class SimpleData {
  readonly id!: Int64;
  readonly text!: string | null;
  readonly big!: Int64 | null;
  readonly yes!: boolean;

  static readonly from = pick<Simple, SimpleData>('id', 'text', 'big', 'yes');
}

class Computed {
  static from({ id, text }: Simple): object {
    return { id, text: `${text}!` };
  }
}

/** Left to TypeORM. */
@Entity('many_versioned')
class Versioned {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' })
  id!: Int64;

  @Column('text')
  text!: string;

  @Column('jsonb', { nullable: true })
  data!: object | null;

  @ManyToOne(() => Named, { eager: true, nullable: true })
  named!: Relation<Named> | null;

  @VersionColumn()
  version!: number;
}

class VersionedData {
  static from({ id, text, data }: Versioned): object {
    return { id, text, data };
  }
}

@Entity('many_named')
class Named {
  @PrimaryColumn('varchar')
  id!: string;
}

@Entity('many_uuids')
class Uuids {
  @PrimaryGeneratedColumn('uuid')
  id!: string;

  @Column('text')
  text!: string;
}

class KeyData {
  readonly id!: string;

  static readonly from = pick<{ id: string }, KeyData>('id');
}

@Entity('many_empty')
class Empty {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' })
  id!: Int64;
}

class EmptyData {
  readonly id!: Int64;

  static readonly from = pick<Empty, EmptyData>('id');
}

const COLUMNS = Array.from({ length: 700 }, (_, i) => `c${i}`);

interface Wide extends Record<string, unknown> {
  id: Int64;
}

class WideData {
  static from({ id }: Wide): object {
    return { id };
  }
}

/** Of a table with many columns, as classes that do not inherit: TypeORM gets those. */
function wide(table: string): new () => Wide {
  class Made {
    id!: Int64;
  }
  PrimaryGeneratedColumn('identity', { type: 'bigint' })(Made.prototype, 'id');
  for (const name of COLUMNS) Column('text', { nullable: true })(Made.prototype, name);
  Entity(table)(Made);
  return Made as new () => Wide;
}
const WideSimple = wide('many_wide');
/** Left to TypeORM. */
const WideVersioned = wide('many_wide_versioned');
VersionColumn()(WideVersioned.prototype as object, 'version');

interface Keys {
  id: Int64;
  text: string;
}

/** Of a table that a test makes. */
function keyed(table: string): new () => Keys {
  class Made {
    id!: Int64;
    text!: string;
  }
  PrimaryGeneratedColumn({ type: 'bigint' })(Made.prototype, 'id');
  Column('text')(Made.prototype, 'text');
  Entity(table, { synchronize: false })(Made);
  return Made;
}
const Keys = keyed('many_keys');
const TYPES = ['box', 'line', 'interval'].map((name) => ({ name, Target: keyed(name) }));

class KeysData {
  readonly id!: Int64;
  readonly text!: string;

  static readonly from = pick<Keys, KeysData>('id', 'text');
}

class KeysComputed {
  static from({ id, text }: Keys): object {
    return { id, text };
  }
}

@Entity('many_long')
class Long {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' })
  id!: Int64;

  @Column('text', { name: 'a_name_of_more_than_the_sixty_three_bytes_that_an_identifier_may_have' })
  text!: string;
}

const type = <Row>(name: string, data: EventType<Row>['data']) => {
  const made = eventType<Row, object>(`many.${name}`, data, { description: 'One of many.' });
  declareEventType(made);
  return made;
};
const PICKED = type<Simple>('picked', SimpleData);
const COMPUTED = type<Simple>('computed', Computed);
const VERSIONED = type<Versioned>('versioned', VersionedData);
const KEY = type<{ id: string }>('key', KeyData);
const EMPTY = type<Empty>('empty', EmptyData);
const WIDE = type<Wide>('wide', WideData);
const KEYS = type<Keys>('keys', KeysData);
const KEYS_COMPUTED = type<Keys>('keys_computed', KeysComputed);
const LONG = type<Long>('long', KeysComputed);

let database: TestDatabase;
let dataSource: DataSource;
let changes: Changes;

beforeAll(async () => {
  database = await createTestDatabase();
  dataSource = await new DataSource({
    ...poolOptions(database.url),
    connectTimeoutMS: minutes(2), // the machine may be busy
    entities: [
      Simple,
      Versioned,
      Named,
      Uuids,
      Empty,
      WideSimple,
      WideVersioned,
      Keys,
      ...TYPES.map(({ Target }) => Target),
      Long,
    ],
  }).initialize();
  for (const { query } of (await dataSource.driver.createSchemaBuilder().log()).upQueries)
    if (/"many_\w+"/.test(query) && !query.startsWith('DROP')) await dataSource.query(query);
  changes = new Changes(dataSource, new Clock());
});
afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});
beforeEach(() => dataSource.query('TRUNCATE event_outbox, many_simple'));

const events = async () =>
  (await dataSource.query<{ data: { id: Int64 } }[]>('SELECT data FROM event_outbox ORDER BY id')).map(
    ({ data }) => data,
  );
const count = async () => dataSource.getRepository(Simple).count();

describe('Changes.insertAll', () => {
  const ROWS: Partial<Simple>[] = [
    { text: 'é\u{1F600}"\\\n\u0001', item: 'a', big: 9_223_372_036_854_775_807n, float: 0.1 + 0.2 },
    { text: '', item: null, big: -0, float: -0 },
    { text: null, item: '{}', big: 5, float: NaN },
    { text: 'half \ud83d', item: 'null', big: null, float: -Infinity },
    { text: 'z', price: 1.505, yes: false, at: new Date('2026-01-02T03:04:05.678Z'), day: '2024-02-29' },
    { text: 'a', price: '-3', at: new Date('0044-03-15T00:00:00Z') },
    { text: 'far', at: new Date('+012026-01-01T00:00:00Z') },
    {},
    { text: 'after one without a value' },
  ];

  it.each([
    ['one by PostgreSQL', PICKED],
    ['one by its class', COMPUTED],
  ])('stores and returns what insert does, in the order given, with an event each: %s', async (_, event) => {
    const all = await changes.insertAll(Simple, ROWS, event);
    const recorded = await events();
    expect(recorded.map(({ id }) => id)).toEqual(all.map(({ id }) => id));
    await dataSource.query('TRUNCATE event_outbox');
    const single: Simple[] = [];
    for (const row of ROWS) single.push(await changes.insert(Simple, row, event));
    const without = (rows: readonly object[]) => rows.map((row) => ({ ...row, id: 0 }));
    expect(without(all)).toEqual(without(single));
    expect(all[0]).toBeInstanceOf(Simple);
    expect(without(recorded)).toEqual(without(await events()));
    expect(await dataSource.getRepository(Simple).find({ order: { id: 'ASC' } })).toEqual([
      ...all,
      ...single,
    ]);
  });

  it('keeps the order of more rows than a statement takes', async () => {
    const rows = Array.from({ length: 2_500 }, (_, i) => ({ text: `${(i * 7_919) % 2_500}` }));
    const all = await changes.insertAll(Simple, rows, PICKED);
    expect(all.map(({ text }) => text)).toEqual(rows.map(({ text }) => text));
    expect((await events()).map(({ id }) => id)).toEqual(all.map(({ id }) => id));
  });

  it.each([
    ['one by PostgreSQL', PICKED],
    ['one by its class', COMPUTED],
  ])('writes each event as compact JSON, as insert does: %s', async (_, event) => {
    const rows = await changes.insertAll(Simple, [{ text: 'a' }, { text: 'b' }], event);
    await changes.insert(Simple, { text: 'a' }, event);
    const texts = await dataSource.query<{ data: string }[]>(
      'SELECT data::text AS data FROM event_outbox ORDER BY id',
    );
    expect(texts.slice(0, 2).map(({ data }) => data)).toEqual(
      rows.map((row) => writeJson(eventData(event, row, row))),
    );
    expect(texts[2]?.data).not.toMatch(/\s/);
  });

  it('stores all rows or none', async () => {
    const rows = [{ text: 'a' }, { text: 'b', item: 'longer than eight' }];
    await expect(changes.insertAll(Simple, rows, PICKED)).rejects.toThrow('too long');
    await expect(
      changes.transaction(async (inside) => {
        await inside.insertAll(Simple, [{ text: 'a' }], PICKED);
        throw new Error('taken back');
      }),
    ).rejects.toThrow('taken back');
    await dataSource.query(`
      CREATE FUNCTION refuse_some() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RETURN CASE NEW.item WHEN 'refused' THEN NULL ELSE NEW END; END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON many_simple FOR EACH ROW EXECUTE FUNCTION refuse_some()`);
    await expect(
      changes.insertAll(Simple, [{ item: 'refused' }, { item: 'stored' }], PICKED),
    ).rejects.toThrow('A trigger of the table has refused a row.');
    await dataSource.query('DROP TRIGGER refuse ON many_simple');
    expect([await count(), await events()]).toEqual([0, []]);
  });

  it('stores nothing of no rows', async () => {
    expect(await changes.insertAll(Simple, [], PICKED)).toEqual([]);
    expect(await events()).toEqual([]);
  });

  it('stores rows that have nothing but the key that PostgreSQL makes', async () => {
    const rows = await changes.insertAll(Empty, [{}, {}], EMPTY);
    expect((await events()).map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
    expect(new Set(rows.map(({ id }) => id)).size).toBe(2);
  });

  it('does the same for an entity that is left to TypeORM', async () => {
    await changes.insert(Named, { id: 'owner' }, KEY);
    await dataSource.query('TRUNCATE event_outbox');
    const rows = [
      { text: 'b', data: { a: 1 } },
      { text: 'a', named: { id: 'owner' } },
      { text: 'c', data: null },
    ];
    const all = await changes.insertAll(Versioned, rows, VERSIONED);
    expect(all).toMatchObject(rows);
    expect(await events()).toEqual(
      all.map((row) => JSON.parse(writeJson(VersionedData.from(row))) as object),
    );
    expect(all).toEqual(await dataSource.getRepository(Versioned).find({ order: { id: 'ASC' } }));
    await expect(changes.insertAll(Versioned, [{ text: 'd' }, {}], VERSIONED)).rejects.toThrow('null value');
    expect(await dataSource.getRepository(Versioned).count()).toBe(3);
  });

  it('takes given keys in any order, and names one that is taken', async () => {
    const keys = ['c', 'a', 'b'];
    const rows = await changes.insertAll(
      Named,
      keys.map((id) => ({ id })),
      KEY,
    );
    expect(rows.map(({ id }) => id)).toEqual(keys);
    expect((await events()).map(({ id }) => id)).toEqual(keys);
    await expect(changes.insertAll(Named, [{ id: 'd' }, { id: 'a' }], KEY)).rejects.toMatchObject({
      driverError: { code: '23505', detail: 'Key (id)=(a) already exists.' },
    });
    expect(await dataSource.getRepository(Named).existsBy({ id: 'd' })).toBe(false);
  });

  it('takes given UUIDs in any spelling, and has others made', async () => {
    const ids = ['B0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'];
    const given = ids.map((id) => ({ id, text: id }));
    const texts = [...ids, 'made', 'made, too'];
    const rows = await changes.insertAll<Uuids>(
      Uuids,
      [...given, { text: 'made' }, { text: 'made, too' }],
      KEY,
    );
    expect(rows.map(({ text }) => text)).toEqual(texts);
    expect(rows.slice(0, 2).map(({ id }) => id)).toEqual(ids.map((id) => id.toLowerCase()));
    expect((await events()).map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
  });

  it('refuses an event type that no module lists', async () => {
    const unlisted = { ...PICKED, name: 'many.unlisted' };
    await expect(changes.insertAll(Simple as EntityTarget<Simple>, [{}], unlisted)).rejects.toThrow(
      'No module lists',
    );
  });

  it('keeps plans of one row and of as many as a statement takes, whatever numbers are added', async () => {
    await changes.transaction(async (inside) => {
      for (const n of [1, 2, 3, 99, 100, 101, 250])
        await inside.insertAll(
          Simple,
          Array.from({ length: n }, () => ({ day: '2024-02-29' })),
          PICKED,
        );
      const [plans] = await inside.manager.query<{ n: number }[]>(
        `SELECT count(*)::int AS n FROM pg_prepared_statements WHERE statement LIKE '%"many_simple" ("day")%'`,
      );
      expect(plans?.n).toBe(2);
    });
  });

  it('stores more rows of a wide table than a statement has parameters, by TypeORM too', async () => {
    for (const Target of [WideSimple, WideVersioned]) {
      const rows = Array.from({ length: 100 }, (_, i) =>
        Object.fromEntries(COLUMNS.map((name) => [name, `${i}`])),
      );
      const all = await changes.insertAll<Wide>(Target, rows, WIDE);
      expect(all.map((row) => row[COLUMNS[699] ?? ''])).toEqual(rows.map((_, i) => `${i}`));
      expect((await events()).slice(-100).map(({ id }) => id)).toEqual(all.map(({ id }) => id));
    }
  });
});

describe('Changes.insertAll keeps the order given', () => {
  const MIX = `CREATE FUNCTION mixed_key(bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS
    'SELECT ($1 * 7919) % 100003'`;
  const TABLE = 'CREATE TABLE many_keys (id bigint PRIMARY KEY, text text)';
  const SEQUENCE = 'CREATE SEQUENCE many_keys_seq';

  it.each<[string, string[]]>([
    [
      'keys that descend',
      [
        'CREATE TABLE many_keys (id bigint GENERATED BY DEFAULT AS IDENTITY (INCREMENT BY -1) PRIMARY KEY, text text)',
      ],
    ],
    [
      'a default that scrambles',
      [
        SEQUENCE,
        MIX,
        TABLE,
        `ALTER TABLE many_keys ALTER id SET DEFAULT mixed_key(nextval('many_keys_seq'))`,
      ],
    ],
    [
      'a trigger that makes the key',
      [
        SEQUENCE,
        MIX,
        TABLE,
        `CREATE FUNCTION make_key() RETURNS trigger LANGUAGE plpgsql AS
           $$ BEGIN NEW.id = mixed_key(nextval('many_keys_seq')); RETURN NEW; END $$`,
        'CREATE TRIGGER make_key BEFORE INSERT ON many_keys FOR EACH ROW EXECUTE FUNCTION make_key()',
      ],
    ],
    [
      'partitions',
      [
        SEQUENCE,
        MIX,
        `${TABLE} PARTITION BY HASH (id)`,
        `ALTER TABLE many_keys ALTER id SET DEFAULT mixed_key(nextval('many_keys_seq'))`,
        ...[0, 1, 2].map(
          (i) =>
            `CREATE TABLE many_keys_${i} PARTITION OF many_keys FOR VALUES WITH (MODULUS 3, REMAINDER ${i})`,
        ),
      ],
    ],
  ])('%s', async (_, schema) => {
    await dataSource.query(
      [
        'DROP TABLE IF EXISTS many_keys',
        'DROP SEQUENCE IF EXISTS many_keys_seq',
        'DROP FUNCTION IF EXISTS mixed_key, make_key CASCADE',
        ...schema,
      ].join(';'),
    );
    const given = Array.from({ length: 1_234 }, (_, i) => ({ text: `${i}` }));
    for (const type of [KEYS, KEYS_COMPUTED]) {
      await dataSource.query('TRUNCATE event_outbox, many_keys');
      const rows = await changes.insertAll(Keys, given, type);
      expect(rows.map(({ text }) => text)).toEqual(given.map(({ text }) => text));
      expect(await events()).toEqual(rows.map(({ id, text }) => ({ id, text })));
      expect(await dataSource.getRepository(Keys).count()).toBe(given.length);
    }
  });
});

describe('Changes.insertAll of a table', () => {
  it.each(TYPES)('that is named like a type of PostgreSQL: $name', async ({ name, Target }) => {
    await dataSource.query(
      `CREATE TABLE "${name}" (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, text text)`,
    );
    const rows = await changes.insertAll<Keys>(Target, [{ text: 'a' }, { text: 'b' }], KEYS);
    expect(rows.map(({ text }) => text)).toEqual(['a', 'b']);
    expect(await events()).toEqual(rows.map(({ id, text }) => ({ id, text })));
  });

  it('whose trigger normalises given keys', async () => {
    await dataSource.query(`
      CREATE FUNCTION upper_key() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN NEW.id = upper(NEW.id); RETURN NEW; END $$;
      CREATE TRIGGER upper_key BEFORE INSERT ON many_named FOR EACH ROW EXECUTE FUNCTION upper_key()`);
    const rows = await changes.insertAll(Named, [{ id: 'ch' }, { id: 'be' }], KEY);
    await dataSource.query('DROP TRIGGER upper_key ON many_named');
    expect(rows.map(({ id }) => id)).toEqual(['CH', 'BE']);
    expect((await events()).map(({ id }) => id)).toEqual(['CH', 'BE']);
  });

  it('with a column that the class lacks, of a domain that is NOT NULL and has a default', async () => {
    await dataSource.query(`
      DROP TABLE IF EXISTS many_keys;
      CREATE DOMAIN owner AS text NOT NULL DEFAULT 'nobody';
      CREATE TABLE many_keys (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, text text, owner owner)`);
    const rows = await changes.insertAll(Keys, [{ text: 'a' }, { text: 'b' }], KEYS);
    expect(rows).toHaveLength(2);
    expect(await dataSource.query('SELECT owner FROM many_keys')).toEqual([
      { owner: 'nobody' },
      { owner: 'nobody' },
    ]);
  });

  it('with a column whose name PostgreSQL cuts', async () => {
    const rows = await changes.insertAll(Long, [{ text: 'a' }, { text: 'b' }], LONG);
    expect(rows.map(({ text }) => text)).toEqual(['a', 'b']);
    expect(await events()).toMatchObject([{ text: 'a' }, { text: 'b' }]);
  });
});
