import {
  Column,
  Entity,
  type EntityTarget,
  ManyToMany,
  JoinTable,
  ManyToOne,
  PrimaryColumn,
  PrimaryGeneratedColumn,
  type Relation,
  UpdateDateColumn,
  VersionColumn,
} from 'typeorm';
import {
  Box,
  BOXES,
  CHANGED,
  declared,
  Dog,
  Kennel,
  LOWER_NAME,
  Note,
  useRows,
} from '../../../../test/support/rows-and-events.js';
import type { Int64 } from '../../kernel/json/int64.js';
import type { EventType } from './event-type.js';
import { pick } from './pick.js';

@Entity('on_countries')
class Country {
  @PrimaryColumn('varchar')
  id!: string;

  @Column('text', { nullable: true })
  name!: string | null;
}

/** Left to TypeORM, with a natural key. */
@Entity('on_cities')
class City {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  name!: string;

  @ManyToOne(() => Country, { eager: true, cascade: true })
  country!: Relation<Country>;

  @ManyToMany(() => Kennel, { eager: true, cascade: true })
  @JoinTable()
  kennels!: Relation<Kennel>[];
}

@Entity('on_uuids')
class Uuids {
  @PrimaryGeneratedColumn('uuid')
  id!: string;

  @Column('text')
  text!: string;
}

/** Left to TypeORM, with values that PostgreSQL sets. */
@Entity('on_parcels')
class Parcel {
  @PrimaryGeneratedColumn('uuid')
  id!: string;

  @Column('numeric', { precision: 5, scale: 2, nullable: true })
  weight!: string | null;

  @VersionColumn()
  version!: number;

  @UpdateDateColumn({ type: 'timestamptz' })
  updatedAt!: Date;

  get isHeavy(): boolean {
    return Number(this.weight) > 10;
  }
}

@Entity('on_empty')
class Empty {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' })
  id!: Int64;
}

@Entity('on_long')
class Long {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' })
  id!: Int64;

  @Column('text', { name: 'a_name_of_more_than_the_sixty_three_bytes_that_an_identifier_may_have' })
  text!: string;
}

const COLUMNS = Array.from({ length: 700 }, (_, i) => `c${i}`);

interface Wide extends Record<string, unknown> {
  id: Int64;
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
const WideSimple = wide('on_wide');
const WideVersioned = wide('on_wide_versioned');
VersionColumn()(WideVersioned.prototype as object, 'version');

interface Named {
  id: Int64;
  name: string;
}

/** Of a table that is named like a type of PostgreSQL. */
function named(table: string): new () => Named {
  class Made {
    id!: Int64;
    name!: string;
  }
  PrimaryGeneratedColumn('identity', { type: 'bigint' })(Made.prototype, 'id');
  Column('text')(Made.prototype, 'name');
  Entity(table)(Made);
  return Made;
}
const TYPES = ['box', 'line', 'interval'].map((name) => ({ name, Target: named(name) }));

class NoteData {
  readonly id!: Int64;
  readonly text!: string | null;
  readonly big!: Int64 | null;
  readonly stars!: number;

  static readonly from = pick<Note, NoteData>('id', 'text', 'big', 'stars');
}

class BoxData {
  readonly id!: Int64;
  readonly name!: string;
  readonly note!: string | null;

  static readonly from = pick<Box, BoxData>('id', 'name', 'note');
}

class NamedData {
  readonly id!: Int64;
  readonly name!: string;

  static readonly from = pick<Named, NamedData>('id', 'name');
}

class KeyData {
  readonly id!: Int64 | string;

  static readonly from = pick<{ id: Int64 | string }, KeyData>('id');
}

const PICKED = declared('insert.picked', NoteData);
const BOX = declared('insert.box', BoxData);
const NAMED = declared('insert.named', NamedData);
const KEY = declared('insert.key', KeyData);

const rows = useRows(
  ...[Country, City, Uuids, Parcel, Empty, Long, WideSimple, WideVersioned],
  ...TYPES.map(({ Target }) => Target),
);
const countOf = (target: EntityTarget<object>) => rows.dataSource.getRepository(target).count();

describe.each([
  ['by PostgreSQL', PICKED],
  ['by its class', CHANGED],
])('rows and their events, made %s,', (_, type) => {
  const ROWS: Partial<Note>[] = [
    { text: 'é\u{1F600}"\\\n\u0001', code: 'a', big: 9_223_372_036_854_775_807n, float: 0.1 + 0.2 },
    { text: '', code: null, big: -0, float: -0 },
    { text: null, code: '{}', big: 5, float: NaN },
    { text: 'half \ud83d', code: 'null', big: null, float: -Infinity },
    { text: 'z', price: 1.505, done: false, at: new Date('2026-01-02T03:04:05.678Z'), day: '2024-02-29' },
    { text: 'a', price: '-3', at: new Date('0044-03-15T00:00:00Z') },
    { text: 'far', at: new Date('+012026-01-01T00:00:00Z') },
    {},
    { text: 'after one without a value' },
  ];

  it('are stored alike by insert and insertAll', async () => {
    const all = await rows.insertAll(Note, ROWS, type);
    const single: Note[] = [];
    for (const row of ROWS) single.push(await rows.insert(Note, row, type));
    const withoutId = (rows: readonly Note[]) => rows.map((row) => Object.assign(new Note(), row, { id: 0 }));
    expect(withoutId(all)).toEqual(withoutId(single));
    expect(all.map(({ text }) => text)).toEqual(ROWS.map(({ text = null }) => text?.toWellFormed() ?? null));
    expect(all[0]).toBeInstanceOf(Note);
    expect(all.map(({ big }) => big)).toEqual([
      9_223_372_036_854_775_807n,
      0,
      5,
      ...Array<null>(6).fill(null),
    ]);
  });
});

describe('Changes.insert', () => {
  /** All combinations of what is given, and not. */
  const subsetsOf = (values: object): object[] =>
    Object.entries(values).reduce<object[]>(
      (subsets, [name, value]) => subsets.flatMap((one) => [one, { ...one, [name]: value as unknown }]),
      [{}],
    );

  it.each<[string, EntityTarget<{ id: Int64 }>, object]>([
    [
      'by a prepared statement',
      Note,
      { text: 'A \u{1F600}', price: '1.5', at: new Date(1_234), stars: 3, done: false },
    ],
    [
      'by TypeORM',
      Dog,
      { data: { b: 1, a: undefined }, price: 2, lower: 'ABC', feedAt: '10:00', address: { city: 'Bern' } },
    ],
  ])('returns and records what is stored, whatever is given: %s', async (_, target, all) => {
    for (const values of subsetsOf(all)) await rows.insert(target, values);
  });

  it('saves the relations of a row with a given key, and never overwrites a row', async () => {
    const city = { id: 'BE', name: 'Bern', country: { id: 'FR', name: 'France' }, kennels: [{ name: 'K' }] };
    expect(await rows.insert(City, city)).toMatchObject(city);
    for (const [target, values] of [
      [City, { ...city, name: 'other' }],
      [Country, { id: 'FR', name: 'other' }],
    ] as const) {
      const again = rows.changes.insert<City | Country>(target, values, KEY);
      await expect(again).rejects.toMatchObject({ driverError: { code: '23505' } });
    }
    expect(await rows.dataSource.getRepository(City).find()).toMatchObject([city]);
    expect(await rows.events()).toEqual([]);
  });

  it('gives the class of the event the values that PostgreSQL sets, and a row of the class', async () => {
    class ParcelData {
      static from({ weight, version, isHeavy }: Parcel): object {
        return { weight, version, isHeavy };
      }
    }
    const type = declared('insert.parcel', ParcelData);
    const parcel = await rows.insert(Parcel, { weight: '3.14159' }, type);
    const heavier = await rows.update(Parcel, parcel, { weight: '12.345' }, type);
    expect([parcel, heavier]).toMatchObject([
      { weight: '3.14', version: 1, isHeavy: false },
      { weight: '12.35', version: 2, isHeavy: true },
    ]);
    expect(heavier.updatedAt.getTime()).toBeGreaterThan(parcel.updatedAt.getTime());
  });

  it('records what a class makes of the id, whatever it asks', async () => {
    class Sharded {
      static from({ id }: Note): object {
        const text = String(id);
        return {
          ...{
            type: typeof id,
            isSafe: Number.isSafeInteger(id),
            isThere: ![undefined, null].includes(id as never),
          },
          ...{ shard: Number(BigInt(id) % 2n), third: Number(BigInt(id) % 3n), length: text.length },
          ...{ url: `/${text}`, sum: Number(id) + 1, nested: structuredClone({ id }) },
        };
      }
    }
    const type = declared('insert.sharded', Sharded);
    for (let i = 0; i < 4; i++) {
      const { id } = await rows.changes.insert(Note, {}, type);
      const n = Number(id);
      expect(await rows.events()).toEqual([
        {
          ...{ id, type: 'number', isSafe: true, isThere: true, shard: n % 2, third: n % 3 },
          ...{ length: `${n}`.length, url: `/${n}`, sum: n + 1, nested: { id } },
        },
      ]);
    }
  });

  it('and others record the `id` first and then the data, as JSON makes them', async () => {
    class Described {
      static from({ id, text }: Note): object {
        return { text, nested: { at: 1, toJSON: () => ({ text, json: true }) }, big: 9007199254740993n, id };
      }
    }
    const type = declared('insert.described', Described);
    const one = await rows.changes.insert(Note, { text: 'Rex' }, type);
    const two = await rows.changes.transaction((inside) => inside.insert(Note, { text: 'Rex' }, type));
    await rows.changes.update(Note, one, { text: 'Max' }, type);
    await rows.changes.delete(Note, two, type);
    const dataOf = ({ id }: Note, text: string) =>
      `{"id":${id},"text":"${text}","nested":{"text":"${text}","json":true},"big":9007199254740993}`;
    expect(await rows.texts()).toEqual([
      dataOf(one, 'Rex'),
      dataOf(two, 'Rex'),
      dataOf(one, 'Max'),
      dataOf(two, 'Rex'),
    ]);
  });
});

describe('Changes.insert and insertAll, alone and in a transaction,', () => {
  it.each<[string, string[], Partial<Box>]>([
    ['nothing else', [BOXES], { name: 'MiXeD', note: null }],
    [
      'a partition whose trigger changes rows',
      [
        `${BOXES} PARTITION BY RANGE (id)`,
        `CREATE TABLE boxes_all PARTITION OF on_boxes DEFAULT`,
        LOWER_NAME,
        `CREATE TRIGGER lower BEFORE INSERT ON boxes_all FOR EACH ROW EXECUTE FUNCTION lower_name()`,
      ],
      { name: 'mixed', note: null },
    ],
    [
      'a default of the table alone',
      [BOXES.replace('note text', `note text DEFAULT 'none'`)],
      { name: 'MiXeD', note: 'none' },
    ],
    [
      'a domain with a default',
      [`CREATE DOMAIN remark AS text DEFAULT 'none'`, BOXES.replace('note text', 'note remark')],
      { name: 'MiXeD', note: 'none' },
    ],
    [
      'a generated column of the table alone',
      [BOXES.replace('note text', 'note text GENERATED ALWAYS AS (upper(name)) STORED')],
      { name: 'MiXeD', note: 'MIXED' },
    ],
    [
      'a type of the table that fills up',
      [BOXES.replace('name text', 'name char(8)')],
      { name: 'MiXeD   ', note: null },
    ],
  ])('return and record the row as PostgreSQL has stored it: %s', async (_, schema, expected) => {
    await rows.table(...schema);
    const values = { name: 'MiXeD' };
    for (const type of [BOX, CHANGED]) {
      const stored = [
        await rows.insert(Box, values, type),
        ...(await rows.insertAll(Box, [values, values], type)),
      ];
      const inside = await rows.changes.transaction(async (by) => [
        await by.insert(Box, values, type),
        ...(await by.insertAll(Box, [values, values], type)),
      ]);
      await rows.expectRows(Box, inside, type);
      for (const row of [...stored, ...inside]) expect(row).toMatchObject(expected);
    }
  });

  it('leave a column that the class lacks to its domain, which is NOT NULL and has a default', async () => {
    await rows.table(
      `CREATE DOMAIN owner AS text NOT NULL DEFAULT 'nobody'`,
      BOXES.replace('note text', 'note text, owner owner'),
    );
    for (const type of [BOX, CHANGED]) {
      await rows.insert(Box, { name: 'a' }, type);
      await rows.insertAll(Box, [{ name: 'a' }, { name: 'b' }], type);
    }
    expect(await rows.dataSource.query('SELECT owner FROM on_boxes')).toEqual(
      Array(6).fill({ owner: 'nobody' }),
    );
  });

  it('store all rows or none, with their events', async () => {
    const boxes = [{ name: 'a' }, { name: 'longer than eight' }];
    await rows.table(
      BOXES.replace('name text', 'name varchar(8)'),
      `CREATE OR REPLACE FUNCTION refuse_some() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN RETURN CASE NEW.note WHEN 'refused' THEN NULL ELSE NEW END; END $$`,
      'CREATE TRIGGER refuse BEFORE INSERT ON on_boxes FOR EACH ROW EXECUTE FUNCTION refuse_some()',
    );
    const { changes } = rows;
    for (const type of [BOX, CHANGED]) {
      await expect(changes.insertAll(Box, boxes, type)).rejects.toThrow('too long');
      const takenBack = changes.transaction(async (inside) => {
        await inside.insertAll(Box, [{ name: 'a' }], type);
        throw new Error('taken back');
      });
      await expect(takenBack).rejects.toThrow('taken back');
      const refused = { name: 'a', note: 'refused' };
      for (const write of [
        changes.insert(Box, refused, type),
        changes.insertAll(Box, [refused, { name: 'b' }], type),
      ])
        await expect(write).rejects.toThrow('A trigger of the table has refused a row.');
    }
    expect([await countOf(Box), await rows.events()]).toEqual([0, []]);
  });

  it('refuse an event type that no module lists', async () => {
    const unlisted: EventType<Note> = { ...PICKED, name: 'insert.unlisted' };
    const { changes } = rows;
    const before = await countOf(Note);
    for (const write of [
      changes.insert(Note, {}, unlisted),
      changes.insertAll(Note, [{}, {}], unlisted),
      changes.insertAll(Note, [], unlisted),
    ])
      await expect(write).rejects.toThrow('No module lists the event type insert.unlisted');
    expect(await countOf(Note)).toBe(before);
  });

  it.each<[string, EntityTarget<{ id: Int64 }>, object, string]>([
    ['a row', Note, { text: 'a', colour: 'red' }, 'colour'],
    ['a row that is left to TypeORM', Dog, { colour: null }, 'colour'],
    ['a part of a row', Dog, { address: { city: 'Bern', planet: 'Earth' } }, 'address.planet'],
    ['a name that every object has', Note, { toString: 'a' }, 'toString'],
    ['a relation with a cascade', City, { id: 'x', name: 'a', kennels: [{ name: 'K', size: 1 }] }, 'size'],
  ])('refuse a value that the entity has no property for: of %s', async (_, target, values, name) => {
    const { changes } = rows;
    const before = await countOf(target);
    for (const write of [
      changes.insert(target, values, KEY),
      changes.insertAll(target, [{}, values], KEY),
      changes.transaction((inside) => inside.insert(target, values, KEY)),
    ])
      await expect(write).rejects.toThrow(`Property "${name}" was not found`);
    expect(await countOf(target)).toBe(before);
  });

  it('take what is undefined, or belongs to an instance of the entity', async () => {
    const note = Object.assign(new Note(), { text: 'a', isDraft: true });
    for (const values of [note, { text: 'a', colour: undefined }])
      expect(await rows.insert(Note, values, PICKED)).toMatchObject({ text: 'a' });
  });
});

describe('Changes.insertAll', () => {
  it('stores nothing of no rows', async () => {
    expect(await rows.insertAll(Note, [], PICKED)).toEqual([]);
  });

  it('stores rows that have nothing but the key that PostgreSQL makes', async () => {
    const all = await rows.insertAll(Empty, [{}, {}], KEY);
    expect(new Set(all.map(({ id }) => id)).size).toBe(2);
  });

  it('does the same for an entity that is left to TypeORM', async () => {
    const kennel = await rows.insert(Kennel, { name: 'K' });
    const given = [
      { text: 'b', data: { a: 1 } },
      { text: 'a', kennel },
      { text: 'c', data: null },
    ];
    expect(await rows.insertAll(Dog, given)).toMatchObject(given);
    const count = await countOf(Dog);
    await expect(rows.changes.insertAll(Dog, [{}, { code: 'too long' }], CHANGED)).rejects.toThrow(
      'too long',
    );
    expect([await countOf(Dog), await rows.events()]).toEqual([count, []]);
  });

  it('takes given keys in any order, and names one that is taken', async () => {
    const keys = ['c', 'a', 'b'].map((id) => ({ id }));
    expect(await rows.insertAll(Country, keys, KEY)).toMatchObject(keys);
    const again = rows.changes.insertAll(Country, [{ id: 'd' }, { id: 'a' }], KEY);
    await expect(again).rejects.toMatchObject({
      driverError: { code: '23505', detail: 'Key (id)=(a) already exists.' },
    });
    expect(await rows.dataSource.getRepository(Country).existsBy({ id: 'd' })).toBe(false);
  });

  it('takes given UUIDs in any spelling, and has others made', async () => {
    const ids = ['B0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'];
    const given = [...ids.map((id) => ({ id, text: id })), { text: 'made' }, { text: 'made, too' }];
    const all = await rows.insertAll(Uuids, given, KEY);
    expect(all.map(({ text }) => text)).toEqual(given.map(({ text }) => text));
    expect(all.slice(0, 2).map(({ id }) => id)).toEqual(ids.map((id) => id.toLowerCase()));
  });

  it('takes given keys that a trigger normalises', async () => {
    await rows.dataSource.query(`
      CREATE FUNCTION upper_key() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN NEW.id = upper(NEW.id); RETURN NEW; END $$;
      CREATE TRIGGER upper_key BEFORE INSERT ON on_countries FOR EACH ROW EXECUTE FUNCTION upper_key()`);
    const all = await rows.insertAll(Country, [{ id: 'ch' }, { id: 'be' }], KEY);
    await rows.dataSource.query('DROP TRIGGER upper_key ON on_countries');
    expect(all.map(({ id }) => id)).toEqual(['CH', 'BE']);
  });

  it('keeps plans of one row and of as many as a statement takes, whatever numbers are added', async () => {
    await rows.changes.transaction(async (inside) => {
      for (const n of [1, 2, 3, 99, 100, 101, 250])
        await inside.insertAll(
          Note,
          Array.from({ length: n }, () => ({ day: '2024-02-29' })),
          PICKED,
        );
      const [plans] = await inside.manager.query<{ n: number }[]>(
        `SELECT count(*)::int AS n FROM pg_prepared_statements WHERE statement LIKE '%"on_notes" ("day")%'`,
      );
      expect(plans?.n).toBe(2);
    });
  });

  it.each([
    ['by prepared statements', WideSimple],
    ['by TypeORM', WideVersioned],
  ])('stores more values than a statement has parameters, %s', async (_, Target) => {
    const given = Array.from({ length: 100 }, (_, i) =>
      Object.fromEntries(COLUMNS.map((name) => [name, `${i}`])),
    );
    const all = await rows.changes.insertAll<Wide>(Target, given, KEY);
    expect(all.map((row) => row[COLUMNS[699] ?? ''])).toEqual(given.map((_, i) => `${i}`));
    expect(await rows.events()).toEqual(all.map(({ id }) => ({ id })));
  });

  it.each(TYPES)('stores rows of a table that is named like a type: $name', async ({ Target }) => {
    const given = [{ name: 'a' }, { name: 'b' }];
    for (const type of [NAMED, CHANGED])
      expect(await rows.insertAll<Named>(Target, given, type)).toMatchObject(given);
  });

  it('stores a column whose name PostgreSQL cuts', async () => {
    const given = [{ text: 'a' }, { text: 'b' }];
    for (const type of [KEY, CHANGED]) expect(await rows.insertAll(Long, given, type)).toMatchObject(given);
  });
});

describe('Changes.insertAll keeps the order given', () => {
  const MIX = `CREATE OR REPLACE FUNCTION mixed_key(bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS
    'SELECT ($1 * 7919) % 100003'`;
  const SEQUENCE = 'DROP SEQUENCE IF EXISTS boxes_seq; CREATE SEQUENCE boxes_seq';
  const TABLE = 'CREATE TABLE on_boxes (id bigint PRIMARY KEY, name text, note text)';
  const DEFAULT = `ALTER TABLE on_boxes ALTER id SET DEFAULT mixed_key(nextval('boxes_seq'))`;

  it.each<[string, string[]]>([
    ['keys that ascend', [BOXES]],
    ['keys that descend', [BOXES.replace('IDENTITY', 'IDENTITY (INCREMENT BY -1)')]],
    ['a default that scrambles', [SEQUENCE, MIX, TABLE, DEFAULT]],
    [
      'a trigger that makes the key',
      [
        ...[SEQUENCE, MIX, TABLE],
        `CREATE OR REPLACE FUNCTION make_key() RETURNS trigger LANGUAGE plpgsql AS
           $$ BEGIN NEW.id = mixed_key(nextval('boxes_seq')); RETURN NEW; END $$`,
        'CREATE TRIGGER make_key BEFORE INSERT ON on_boxes FOR EACH ROW EXECUTE FUNCTION make_key()',
      ],
    ],
    [
      'partitions',
      [
        ...[SEQUENCE, MIX, `${TABLE} PARTITION BY HASH (id)`, DEFAULT],
        ...[0, 1, 2].map(
          (i) =>
            `CREATE TABLE on_boxes_${i} PARTITION OF on_boxes FOR VALUES WITH (MODULUS 3, REMAINDER ${i})`,
        ),
      ],
    ],
  ])('of more rows than a statement takes: %s', async (_, schema) => {
    await rows.table(...schema);
    const given = Array.from({ length: 1_234 }, (_, i) => ({ name: `${(i * 7_919) % 1_234}` }));
    for (const type of [BOX, CHANGED]) {
      await rows.dataSource.query('TRUNCATE on_boxes');
      const all = await rows.changes.insertAll(Box, given, type);
      expect(all.map(({ name }) => name)).toEqual(given.map(({ name }) => name));
      const stored = await rows.dataSource.getRepository(Box).find();
      const byId = new Map(stored.map((row) => [row.id, row]));
      expect(all).toStrictEqual(all.map(({ id }) => byId.get(id)));
      expect(byId.size).toBe(given.length);
      await rows.expectEvents(type, all);
    }
  });
});
