import {
  Column,
  DataSource,
  DeleteDateColumn,
  Entity,
  type EntityTarget,
  ForeignKey,
  JoinColumn,
  JoinTable,
  ManyToMany,
  ManyToOne,
  PrimaryColumn,
  PrimaryGeneratedColumn,
  type Relation,
  Unique,
  UpdateDateColumn,
  VersionColumn,
} from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/test-database.js';
import { Clock } from '../../kernel/clock/clock.js';
import { minutes } from '../../kernel/clock/duration.js';
import { poolOptions } from '../../data/database/database.module.js';
import { findById } from '../../data/statements/find.js';
import type { Int64 } from '../../kernel/json/int64.js';
import { Changes } from './changes.js';
import { declareEventType, eventType } from './event-type.js';

class Address {
  @Column('text', { nullable: true })
  city!: string | null;
}

@Entity('on_kennels')
class Kennel {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' })
  id!: Int64;

  @Column('text')
  name!: string;
}

/** Left to TypeORM. */
@Entity('on_dogs')
class Dog {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' })
  id!: Int64;

  @ManyToOne(() => Kennel, { eager: true, nullable: true })
  kennel!: Relation<Kennel> | null;

  @Column('jsonb', { nullable: true })
  data!: object | null;

  @Column('json', { nullable: true })
  raw!: object | null;

  @Column('numeric', { precision: 6, scale: 2, nullable: true })
  price!: string | number | null;

  @Column('uuid', { nullable: true })
  uuid!: string | null;

  @Column('time', { name: 'feeding_time', nullable: true })
  feedAt!: string | null;

  @Column('inet', { nullable: true })
  host!: string | null;

  @Column('interval', { nullable: true })
  every!: unknown;

  @Column({ type: 'int4range', nullable: true })
  range!: string | null;

  @Column('point', { nullable: true })
  place!: unknown;

  @Column('enum', { enum: ['big', 'small'], nullable: true })
  size!: 'big' | 'small' | null;

  @Column('text', { array: true, nullable: true })
  tags!: string[] | null;

  @Column('varchar', { length: 5, nullable: true })
  code!: string | null;

  @Column('char', { length: 5, nullable: true })
  chip!: string | null;

  @Column('text', {
    nullable: true,
    transformer: { to: (v: string | null) => v?.toLowerCase() ?? v, from: (v: string | null) => v },
  })
  lower!: string | null;

  @Column({ type: 'timestamptz', precision: 0, nullable: true })
  bornAt!: Date | null;

  @Column(() => Address)
  address!: Address;

  @UpdateDateColumn({ type: 'timestamptz' })
  updatedAt!: Date;

  @VersionColumn()
  version!: number;

  @DeleteDateColumn({ type: 'timestamptz' })
  deletedAt!: Date | null;
}

/** Covered by prepared statements. */
@Entity('on_notes')
class Note {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' })
  id!: Int64;

  @Column('varchar', { name: 'the_text', nullable: true })
  text!: string | null;

  @Column('numeric', { precision: 6, scale: 2, nullable: true })
  price!: string | number | null;

  @Column('timestamptz', { nullable: true })
  at!: Date | null;

  @Column('integer', { default: 7 })
  stars!: number;

  @Column('boolean', { nullable: true })
  done!: boolean | null;
}

/** Covered, with another name of its key's column. */
@Entity('on_breeders')
class Breeder {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', name: 'breeder_id' })
  id!: Int64;

  @Column('text')
  name!: string;
}

/** One of several with the same `id`. */
@Entity('on_seats')
class Seat {
  @PrimaryColumn('integer')
  hall!: number;

  @PrimaryColumn('text')
  id!: string;

  @Column('boolean', { default: true })
  free!: boolean;
}

/** With a natural key. */
@Entity('on_countries')
class Country {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  name!: string;
}

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

/** With a column and a relation that a row does not show by itself. */
@Entity('on_cats')
class Cat {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' })
  id!: Int64;

  @Column('text', { select: false })
  pin!: string;

  @Column('jsonb', { nullable: true })
  mood!: object | null;

  @ManyToOne(() => Dog, { nullable: true })
  @JoinColumn({ name: 'friend_id' })
  friend!: Relation<Dog> | null;
}

/**
 * With properties that are named like types of PostgreSQL, and left to TypeORM because of its update date.
 */
@Entity('on_named')
class Named {
  @PrimaryColumn('integer')
  id!: number;

  @Column('timestamptz', { nullable: true })
  timestamp!: Date | null;

  @Column('time', { nullable: true })
  time!: string | null;

  @Column('date', { nullable: true })
  date!: string | null;

  @Column('text', { name: 'body', nullable: true })
  text!: string | null;

  @Column('uuid', { name: 'ref', nullable: true })
  uuid!: string | null;

  @Column('json', { nullable: true })
  json!: object | null;

  @Column('interval', { nullable: true })
  interval!: unknown;

  @Column('integer', { nullable: true })
  integer!: number | null;

  @Column('varchar', { nullable: true })
  char!: string | null;

  @UpdateDateColumn({ type: 'timestamptz' })
  updatedAt!: Date;
}

/** Refers to itself, by a key that may change. */
@Entity('on_nodes')
@Unique(['code'])
class Node {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' })
  id!: Int64;

  @Column('text')
  code!: string;

  @ForeignKey(() => Node, 'code', { onUpdate: 'CASCADE' })
  @Column('text', { nullable: true })
  parentCode!: string | null;
}

class Everything {
  static from(row: object): object {
    return { ...row };
  }
}
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- of every entity
const CHANGED = eventType<any, object>('thing.changed', Everything, { description: 'A thing.' });

let database: TestDatabase;
let dataSource: DataSource;
let changes: Changes;

beforeAll(async () => {
  declareEventType(CHANGED);
  database = await createTestDatabase();
  dataSource = await new DataSource({
    ...poolOptions(database.url),
    connectTimeoutMS: minutes(2), // the machine may be busy
    entities: [Kennel, Dog, Note, Breeder, Seat, Country, City, Cat, Named, Node],
  }).initialize();
  for (const sql of (await dataSource.driver.createSchemaBuilder().log()).upQueries)
    if (/"on_\w+"/.test(sql.query) && !sql.query.startsWith('DROP')) await dataSource.query(sql.query);
  changes = new Changes(dataSource, new Clock());
});
afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});
beforeEach(() => dataSource.query('TRUNCATE event_outbox'));

const events = () => dataSource.query<{ data: Record<string, unknown> }[]>('SELECT data FROM event_outbox');

const dog = (values: object = {}) => changes.insert(Dog, { ...values }, CHANGED);

describe('findById with an eager relation', () => {
  it.each(['pessimistic_write', 'for_no_key_update', 'pessimistic_read'] as const)(
    'locks the row alone: %s',
    async (mode) => {
      const { id } = await dog();
      await dataSource.transaction(async (manager) => {
        expect((await findById(manager.getRepository(Dog), id, { lock: { mode } }))?.id).toBe(id);
      });
    },
  );

  it.each([
    ['TypeORM', Dog],
    ['a prepared statement', Note],
  ])('passes other options of the lock on: %s', async (_, target: EntityTarget<{ id: Int64 }>) => {
    const { id } = await changes.insert(target, {}, CHANGED);
    const lock = { mode: 'pessimistic_write', onLocked: 'skip_locked' } as const;
    const lockedBy = (work: () => Promise<void>) =>
      dataSource.transaction(async (manager) => {
        await findById(manager.getRepository(target), id, { lock });
        await work();
      });
    await lockedBy(() =>
      dataSource.transaction(async (manager) => {
        expect(await findById(manager.getRepository(target), id, { lock })).toBeNull();
      }),
    );
  });
});

describe('Changes.update', () => {
  const UUID = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11';

  it.each<[string, object]>([
    ['jsonb', { data: { b: 1, a: { c: [1, undefined] } } }],
    ['undefined members', { data: { b: 1, a: undefined } }],
    ['json', { raw: { b: 1, a: 2 } }],
    ['numeric', { price: 1.5 }],
    ['numeric that is rounded', { price: '1.505' }],
    ['uuid', { uuid: UUID.toUpperCase() }],
    ['time', { feedAt: '10:00' }],
    ['inet', { host: '2001:DB8:0::1' }],
    ['interval', { every: '90 minutes' }],
    ['range', { range: '[1,3]' }],
    ['point', { place: '(1.0,2)' }],
    ['enum', { size: 'big' }],
    ['array', { tags: ['a', 'b "c"'] }],
    ['varchar', { code: 'abc' }],
    ['char', { chip: 'ab' }],
    ['transformer', { lower: 'ABC' }],
    ['timestamptz', { bornAt: new Date('2026-01-02T03:04:05.600Z') }],
    ['embedded columns', { address: { city: 'Bern' } }],
    ['null', { data: null, address: { city: null } }],
  ])('records nothing the second time: %s', async (_, values) => {
    const before = await dog({ code: 'x' });
    const once = await changes.update(Dog, before, { code: 'y', ...values }, CHANGED);
    expect(await events()).toHaveLength(2);
    expect(once).toMatchObject({ version: 2 });
    const twice = await changes.update(Dog, once, values, CHANGED);
    expect(await events()).toHaveLength(2);
    // What was written again has another date and version all the same.
    expect({ ...twice, updatedAt: once.updatedAt, version: once.version }).toStrictEqual({ ...once });
  });

  it('records nothing for a relation that is given as { id }, and writes another', async () => {
    const [one, two] = [
      await changes.insert(Kennel, { name: 'one' }, CHANGED),
      await changes.insert(Kennel, { name: 'two' }, CHANGED),
    ];
    const before = await dog({ kennel: { id: one.id } });
    expect(before.kennel?.name).toBe('one');
    const same = await changes.update(Dog, before, { kennel: { id: one.id } as Kennel }, CHANGED);
    expect({ ...same, updatedAt: before.updatedAt, version: before.version }).toStrictEqual({ ...before });
    const moved = await changes.update(Dog, before, { kennel: { id: two.id } as Kennel }, CHANGED);
    expect(moved.kennel?.name).toBe('two');
    expect((await changes.update(Dog, moved, { kennel: null }, CHANGED)).kennel).toBeNull();
    expect(await events()).toHaveLength(5);
  });

  it.each<[string, object]>([
    ['texts', { code: 'abc' }],
    ['numbers', { price: '1.50' }],
    ['dates', { bornAt: new Date('2026-01-02T03:04:05.000Z') }],
    ['null', { data: null }],
  ])('writes what the row has already, and records nothing: %s', async (_, values) => {
    const before = await dog({ code: 'abc', price: '1.50', bornAt: new Date('2026-01-02T03:04:05.000Z') });
    const after = await changes.update(Dog, before, values, CHANGED);
    expect(after).toEqual({ ...before, updatedAt: after.updatedAt, version: 2 });
    expect(await events()).toHaveLength(1);
  });

  it('writes nothing if only undefined is given', async () => {
    const before = await dog();
    expect(await changes.update(Dog, before, { raw: undefined }, CHANGED)).toEqual(before);
    expect(await events()).toHaveLength(1);
  });

  it('records nothing for the key that a relation has already, if the caller has loaded it', async () => {
    const friend = await dog();
    const { id } = await changes.insert(Cat, { pin: '1', friend }, CHANGED);
    const cat = await dataSource
      .getRepository(Cat)
      .findOneOrFail({ where: { id }, relations: { friend: true } });
    const written = await changes.update(Cat, cat, { friend }, CHANGED);
    expect(written.friend?.id).toBe(friend.id);
    expect(await events()).toHaveLength(2);
    cat.friend = null;
    expect((await changes.update(Cat, cat, { friend: null }, CHANGED)).friend).toBeNull();
    expect(await events()).toHaveLength(3);
    await changes.update(Cat, { id, mood: null }, { friend: null }, CHANGED);
    expect(await events()).toHaveLength(4);
  });

  it('records what a row does not show: a hidden column, and a relation that was not loaded', async () => {
    const friend = await dog();
    const cat = await changes.insert(Cat, { pin: '1' }, CHANGED);
    expect(cat.pin).toBeUndefined();
    await changes.update(Cat, cat, { pin: '2' }, CHANGED);
    await changes.update(Cat, cat, { friend: { id: friend.id } as Dog }, CHANGED);
    expect(await events()).toHaveLength(4);
    const stored = await dataSource.query<object[]>('SELECT pin, friend_id FROM on_cats WHERE id = $1', [
      cat.id,
    ]);
    expect(stored).toEqual([{ pin: '2', friend_id: friend.id }]);
  });

  it('records nothing because a row was read with more, or with less, than is read afterwards', async () => {
    const [one, two] = [await dog(), await dog()];
    const { id } = await changes.insert(Cat, { pin: '1', mood: { is: 'good' }, friend: one }, CHANGED);
    await dataSource.query('TRUNCATE event_outbox');
    const cats = dataSource.getRepository(Cat);
    const whole = await cats.findOneOrFail({
      where: { id },
      relations: { friend: true },
      select: { id: true, pin: true, mood: true, friend: { id: true } },
    });
    expect(whole).toMatchObject({ pin: '1', friend: { id: one.id } });
    await changes.update(Cat, whole, { mood: { is: 'good' } }, CHANGED);
    const eager = await dog({ kennel: await changes.insert(Kennel, { name: 'one' }, CHANGED), tags: ['a'] });
    await dataSource.query('TRUNCATE event_outbox');
    Reflect.deleteProperty(eager, 'kennel');
    await changes.update(Dog, eager, { tags: ['a'] }, CHANGED);
    expect(await events()).toEqual([]);
    await changes.update(Cat, whole, { friend: two }, CHANGED);
    expect(await events()).toHaveLength(1);
  });

  it('returns and records the row under its new key', async () => {
    const seat = await changes.insert(Seat, { hall: 3, id: 'A' }, CHANGED);
    const moved = await changes.update(Seat, seat, { id: 'B' }, CHANGED);
    expect(moved).toEqual({ hall: 3, id: 'B', free: true });
    expect((await events()).at(-1)?.data).toEqual(moved);
    await changes.delete(Seat, moved, CHANGED);
  });

  it('writes properties that are named like types', async () => {
    const before = await changes.insert(Named, { id: 1 }, CHANGED);
    const values: [keyof Named, unknown][] = [
      ['timestamp', new Date('2026-01-02T03:04:05.678Z')],
      ['time', '10:00:00'],
      ['date', '2026-01-02'],
      ['text', 'a'],
      ['uuid', UUID],
      ['json', { a: 1 }],
      ['interval', '1 day'],
      ['integer', 5],
      ['char', 'c'],
    ];
    let row = before;
    for (const [name, value] of values) {
      row = await changes.update(Named, row, { [name]: value }, CHANGED);
      if (name !== 'interval') expect(row[name]).toEqual(value);
    }
    expect(row).toEqual(await dataSource.getRepository(Named).findOneByOrFail({ id: 1 }));
    expect(await events()).toHaveLength(1 + values.length);
  });

  it.each(['one', 'two'])(
    'returns and records what a cascade to the own table has written: %s',
    async (code) => {
      const node = await changes.insert(Node, { code: `${code} old`, parentCode: `${code} old` }, CHANGED);
      const renamed = await changes.update(Node, node, { code }, CHANGED);
      expect(renamed).toEqual({ id: node.id, code, parentCode: code });
      expect((await events()).at(-1)?.data).toEqual(renamed);
    },
  );

  it('refuses a text that is too long, also if it begins as the stored one', async () => {
    const before = await dog({ code: 'abcde' });
    await expect(changes.update(Dog, before, { code: 'abcdef' }, CHANGED)).rejects.toThrow('too long');
  });

  it('compares in prepared statements too', async () => {
    const before = await changes.insert(Note, { text: 'A', price: '1.50', at: new Date(5) }, CHANGED);
    const same = await changes.update(Note, before, { price: 1.5, at: new Date(5), text: 'A' }, CHANGED);
    expect(same).toStrictEqual(before);
    expect(await events()).toHaveLength(1);
    const after = await changes.update(
      Note,
      before,
      { text: 'a', price: null, stars: 8, done: true },
      CHANGED,
    );
    expect(after).toMatchObject({ text: 'a', price: null, stars: 8, done: true });
    expect(await events()).toHaveLength(2);
  });

  it('fails if the row no longer exists', async () => {
    for (const target of [Dog, Note]) {
      const gone = { id: 9_999 } as Dog & Note;
      const update = changes.update<{ id: Int64; price: unknown }>(target, gone, { price: 1 }, CHANGED);
      await expect(update).rejects.toThrow('Could not find any entity');
    }
  });
});

describe('a key', () => {
  it('may have a column of another name', async () => {
    const breeder = await changes.insert(Breeder, { name: 'Ann' }, CHANGED);
    const renamed = await changes.update(Breeder, breeder, { name: 'Bea' }, CHANGED);
    expect(renamed).toEqual({ id: breeder.id, name: 'Bea' });
    expect((await events()).map(({ data }) => data)).toEqual([
      { id: breeder.id, name: 'Ann' },
      { id: breeder.id, name: 'Bea' },
    ]);
  });

  it('may have several columns: no other row with the same id is read, changed or deleted', async () => {
    const seats = dataSource.getRepository(Seat);
    const other = await changes.insert(Seat, { hall: 1, id: 'A' }, CHANGED);
    const seat = await changes.insert(Seat, { hall: 2, id: 'A' }, CHANGED);
    expect(seat).toEqual({ hall: 2, id: 'A', free: true });
    const taken = await changes.update(Seat, seat, { free: false }, CHANGED);
    expect(taken).toEqual({ hall: 2, id: 'A', free: false });
    expect(await changes.update(Seat, taken, { free: false }, CHANGED)).toEqual(taken);
    expect(await seats.findOneBy({ hall: 1 })).toEqual(other);
    await changes.delete(Seat, taken, CHANGED);
    expect(await seats.find()).toEqual([other]);
    await expect(changes.delete(Seat, { id: 'A' }, CHANGED)).rejects.toThrow(
      'The Seat lacks its primary key.',
    );
  });
});

describe('soft delete', () => {
  it('is a change like others, of a deleted row and at creation too', async () => {
    const deletedAt = new Date('2026-01-02T03:04:05.678Z');
    const deleted = await changes.update(Dog, await dog(), { deletedAt }, CHANGED);
    expect(deleted.deletedAt).toEqual(deletedAt);
    expect((await changes.update(Dog, deleted, { deletedAt }, CHANGED)).version).toBe(3);
    expect(await changes.update(Dog, deleted, { code: 'b' }, CHANGED)).toMatchObject({
      code: 'b',
      deletedAt,
    });
    expect((await changes.update(Dog, deleted, { deletedAt: null }, CHANGED)).deletedAt).toBeNull();
    expect((await dog({ deletedAt })).deletedAt).toEqual(deletedAt);
    expect(await events()).toHaveLength(5);
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
    ['by a prepared statement, with half of a surrogate pair', Note, { text: 'A \ud83d' }],
    [
      'by TypeORM',
      Dog,
      { data: { b: 1, a: undefined }, price: 2, lower: 'ABC', feedAt: '10:00', address: { city: 'Bern' } },
    ],
  ])('returns and records what is stored, whatever is given: %s', async (_, target, all) => {
    for (const values of subsetsOf(all)) {
      await dataSource.query('TRUNCATE event_outbox');
      const returned = await changes.insert(target, values, CHANGED);
      const found = await dataSource.getRepository(target).findOneByOrFail({ id: returned.id });
      expect(returned).toStrictEqual(found);
      const [event] = await events();
      expect(event?.data).toEqual({ ...(JSON.parse(JSON.stringify(found)) as object), id: event?.data.id });
    }
  });

  it('fails for a natural key that exists, and neither overwrites the row nor records an event', async () => {
    await changes.insert(Country, { id: 'CH', name: 'Switzerland' }, CHANGED);
    const again = changes.insert(Country, { id: 'CH', name: 'China' }, CHANGED);
    await expect(again).rejects.toMatchObject({ driverError: { code: '23505' } });
    expect(await dataSource.getRepository(Country).find()).toMatchObject([{ name: 'Switzerland' }]);
    expect(await events()).toHaveLength(1);
  });

  it('saves the relations of a row with a given key', async () => {
    const city = { id: 'BE', name: 'Bern', country: { id: 'FR', name: 'France' }, kennels: [{ name: 'K' }] };
    expect(await changes.insert(City, city, CHANGED)).toMatchObject({
      country: { name: 'France' },
      kennels: [{ name: 'K' }],
    });
    await expect(changes.insert(City, city, CHANGED)).rejects.toMatchObject({
      driverError: { code: '23505' },
    });
  });
});
