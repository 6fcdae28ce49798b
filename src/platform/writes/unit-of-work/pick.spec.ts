import { Column, Entity, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import { declared, useRows } from '../../../../test/support/rows-and-events.js';
import type { Int64 } from '../../kernel/json/int64.js';
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

const PICKED = declared('picked.whole', PickedData);
const WITHOUT_ID = declared('picked.without_id', WithoutId);
const WITH_TIME = declared('picked.with_time', WithTime);
const WITH_PRICE = declared('picked.with_price', WithPrice);
const WITH_LONG_NAME = declared('picked.with_long_name', WithLongName);
const DERIVED = declared('picked.derived', Derived);
const WIDE = declared('picked.wide', WideData);
const BY_NAME = declared('picked.by_name', ByNameData);

const rows = useRows(Picked, ByName, Wide);

/** The transactions, and the statements in them, that have written rows of a table. */
const writers = (table: string) =>
  rows.dataSource.query<object[]>(
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
  ])('says what the row says, as JavaScript writes it, with the id first: %s', async (_, values) => {
    const row = await rows.changes.insert(Picked, values, PICKED);
    const [text = ''] = await rows.texts();
    expect(text).toMatch(new RegExp(`^{"id":${row.id},"data":`));
    expect(text.includes('9223372036854775807')).toBe(values === ALL);
    await rows.insert(Picked, values, PICKED);
    await rows.insertAll(Picked, [values, values], PICKED);
  });

  it('has the id although the data does not pick it', async () => {
    const { id } = await rows.changes.insert(Picked, { small: 1 }, WITHOUT_ID);
    expect(await rows.texts()).toEqual([`{"id":${id},"small":1}`]);
  });

  it('may have more members than functions of PostgreSQL have parameters', async () => {
    await rows.insert(Wide, Object.fromEntries(COLUMNS.map((name) => [name, `of ${name}`])), WIDE);
  });

  it('is written in the statement that inserts the row, whatever is given', async () => {
    const { changes } = rows;
    await rows.dataSource.query('TRUNCATE picked');
    for (const values of [ALL, {}, { small: 5 }]) await changes.insert(Picked, values, PICKED);
    await changes.transaction(async (inside) => {
      for (const small of [1, 2]) await inside.insert(Picked, { small }, PICKED);
    });
    expect(await writers('event_outbox')).toEqual(await writers('picked'));
    expect(await rows.texts()).toHaveLength(5);
    await changes.insert(ByName, { id: 'a' }, BY_NAME);
    expect(await writers('event_outbox')).toEqual(await writers('picked_by_name'));
  });

  it.each<[string, Partial<Picked>, typeof PICKED, object]>([
    ['a time', { at: new Date('2026-01-02T03:04:05.678Z') }, WITH_TIME, { at: '2026-01-02T03:04:05.678Z' }],
    ['a name that is too long', { [LONG]: 'a' }, WITH_LONG_NAME, { [LONG]: 'a' }],
    ['what a class derives', { yes: true }, DERIVED, { yes: true, before: true }],
    ...['12.5', '12.50', '0', '99999999.99'].map(
      (price): [string, Partial<Picked>, typeof PICKED, object] => [
        `the decimal ${price}`,
        { price },
        WITH_PRICE,
        { price: Number(price).toFixed(2) },
      ],
    ),
  ])(
    'is made by JavaScript with what PostgreSQL would write otherwise: %s',
    async (_, values, type, data) => {
      const { id } = await rows.changes.insert(Picked, values, type);
      expect(await rows.events()).toEqual([expect.objectContaining({ id, ...data })]);
      await rows.insert(Picked, values, type);
      await rows.insertAll(Picked, [values, values], type);
    },
  );
});
