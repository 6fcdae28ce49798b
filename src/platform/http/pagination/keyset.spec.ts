import fc from 'fast-check';
import {
  And,
  Column,
  type ColumnOptions,
  DataSource,
  DeleteDateColumn,
  Entity,
  Equal,
  type FindOptionsWhere,
  In,
  Index,
  JoinColumn,
  LessThan,
  ManyToOne,
  MoreThan,
  Not,
  OneToMany,
  PrimaryGeneratedColumn,
  type Repository,
  Unique,
} from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/test-database.js';
import { minutes } from '../../kernel/clock/duration.js';
import { poolOptions } from '../../data/database/database.module.js';
import { EntityStatements } from '../../data/statements/entity-statements.js';
import { findById } from '../../data/statements/find.js';
import type { Int64 } from '../../kernel/json/int64.js';
import { keysetPage, type KeysetOrder } from './keyset.js';
import { encodeCursor, InvalidCursor, type Sort } from './page.js';

const ENTITIES = 20;
const ROWS = 12;
const FILTERS = 20; // for each entity

type Row = Record<string, unknown> & { id: Int64 };

/** Columns, and values of them. The last two are left to TypeORM. */
const COLUMNS: readonly (readonly [ColumnOptions, fc.Arbitrary<unknown>])[] = [
  [{ type: 'text' }, fc.constantFrom('a', "it's", '"ß\\', '{}')],
  [{ type: 'varchar', length: '8', name: 'a name' }, fc.constantFrom('', 'b ', '😀')],
  [{ type: 'int' }, fc.integer({ min: -2, max: 2 })],
  [{ type: 'bigint', name: 'select' }, fc.constantFrom(0n, -1n, 9223372036854775807n)],
  [{ type: 'numeric', precision: 10, scale: 2 }, fc.constantFrom('1.505', '-3', '7')],
  [{ type: 'double precision' }, fc.double({ noNaN: true, noDefaultInfinity: true })],
  [{ type: 'boolean' }, fc.boolean()],
  [{ type: 'uuid' }, fc.uuid()],
  [{ type: 'date' }, fc.constantFrom('2026-11-25', '1999-12-31')],
  [{ type: 'timestamptz' }, fc.integer({ min: 0, max: 4e12 }).map((time) => new Date(time))],
  [{ type: 'jsonb' }, fc.constantFrom({ a: [1] }, 'text', 1)],
  [{ type: 'text', select: false }, fc.constantFrom('a', 'b')],
];

const properties = fc.uniqueArray(fc.record({ column: fc.nat(COLUMNS.length - 1), nullable: fc.boolean() }), {
  minLength: 1,
  maxLength: 5,
  selector: ({ column }) => column,
});

const seed = fc.sample(fc.nat(), 1)[0] ?? 0;
const shapes = fc.sample(properties, { numRuns: ENTITIES, seed });

const entities = shapes.map((shape, i) => {
  class Random {
    id!: Int64;
  }
  PrimaryGeneratedColumn('identity', { type: 'bigint' })(Random.prototype, 'id');
  for (const { column, nullable } of shape)
    Column({ ...COLUMNS[column]?.[0], nullable })(Random.prototype, `p${column}`);
  Entity(`random_${i}`)(Random);
  return Random;
});

/** A record with properties of the shape, each with a value from `arbitrary`. */
const recordOf = (
  shape: (typeof shapes)[number],
  arbitrary: (values: fc.Arbitrary<unknown>, nullable: boolean) => fc.Arbitrary<unknown>,
) =>
  Object.fromEntries(
    shape.map(({ column, nullable }) => [
      `p${column}`,
      arbitrary(COLUMNS[column]?.[1] ?? fc.constant(null), nullable),
    ]),
  );

const condition = (values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof(
    values,
    values.map((value) => Equal(value)),
    values.map((value) => MoreThan(value)),
    values.map((value) => LessThan(value)),
    fc.array(values, { maxLength: 3 }).map((list) => In(list)),
    fc.tuple(values, values).map(([value, other]) => And(MoreThan(value), In([other]))),
  );

let database: TestDatabase;
let dataSource: DataSource;

beforeAll(async () => {
  database = await createTestDatabase('template1');
  dataSource = await new DataSource({
    ...poolOptions(database.url),
    connectTimeoutMS: minutes(2), // the machine may be busy
    entities,
  }).initialize();
  const { upQueries } = await dataSource.driver.createSchemaBuilder().log(); // what a migration would contain
  for (const { query } of upQueries) await dataSource.query(query);
});
afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

/** The result or SQLSTATE, as a filter may compare what PostgreSQL cannot compare. */
const outcomeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.catch((error: unknown) => (error as { code?: string }).code);

async function walk(
  repository: Repository<Row>,
  filter: FindOptionsWhere<Row>,
  sort?: Sort,
  order: KeysetOrder<Row> = {},
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let cursor: string | undefined, isLast = false; !isLast;) {
    const page = await keysetPage(repository, { limit: 5, cursor, sort }, filter, order);
    rows.push(...page);
    cursor = page.next;
    isLast = cursor === undefined;
  }
  return rows;
}

it(`keysetPage and findById return what Repository.find returns, for random entities, filters and values (seed ${seed})`, async () => {
  let covered = 0;
  for (const [i, entity] of entities.entries()) {
    const shape = shapes[i] ?? [];
    const repository = dataSource.getRepository(entity) as unknown as Repository<Row>;
    if (EntityStatements.of(dataSource, entity)) covered++;
    const values = recordOf(shape, (some, nullable) => (nullable ? fc.option(some) : some));
    await repository.insert(fc.sample(fc.record(values), { numRuns: ROWS, seed }) as object[]);
    const ids = fc.integer({ min: 0, max: ROWS + 1 });
    const filters = fc.record({ id: condition(ids), ...recordOf(shape, condition) }, { requiredKeys: [] });
    for (const filter of fc.sample(filters, { numRuns: FILTERS, seed }) as FindOptionsWhere<Row>[]) {
      const expected = await outcomeOf(repository.find({ where: filter, order: { id: 'ASC' } }));
      expect(await outcomeOf(walk(repository, filter))).toStrictEqual(expected);
      const newestFirst = Array.isArray(expected) ? [...(expected as Row[])].reverse() : expected;
      expect(await outcomeOf(walk(repository, filter, '-id'))).toStrictEqual(newestFirst);
    }
    for (const [by, direction] of shape.flatMap(({ column, nullable }) =>
      nullable || COLUMNS[column]?.[0].select === false
        ? []
        : (['ASC', 'DESC'] as const).map((direction) => [`p${column}`, direction] as const),
    )) {
      const expected = await repository.find({ order: { [by]: direction, id: direction } });
      expect(await walk(repository, {}, undefined, { by, order: direction })).toStrictEqual(expected);
    }
    for (let id = 0; id <= ROWS + 1; id++)
      expect(await findById(repository, id)).toStrictEqual(await repository.findOneBy({ id }));
  }
  expect(covered).toBeGreaterThan(0);
  expect(covered).toBeLessThan(ENTITIES);
});

it.each(['id', '-id'] as const)('leaves PostgreSQL two plans for all pages with sort=%s', async (sort) => {
  @Entity('prepared_pages')
  class Prepared {
    @PrimaryGeneratedColumn('identity', { type: 'bigint' })
    id!: Int64;
  }
  const one = await new DataSource({
    ...poolOptions(database.url),
    poolSize: 1,
    entities: [Prepared],
  }).initialize();
  await one.query(
    'CREATE TABLE IF NOT EXISTS prepared_pages (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY)',
  );
  await one.query('INSERT INTO prepared_pages SELECT FROM generate_series(1, 12)');
  const repository = one.getRepository(Prepared);
  const plans = () => one.query<object[]>('SELECT FROM pg_prepared_statements');
  const first = await keysetPage(repository, { limit: 3, sort });
  expect(await plans()).toHaveLength(1); // of a page without a cursor
  for (let { next } = first; next !== undefined;)
    ({ next } = await keysetPage(repository, { limit: 3, sort, cursor: next }));
  expect(await plans()).toHaveLength(2);
  await one.destroy();
});

it('binds a cursor to its order only where that is not the default of the list', async () => {
  const [entity] = entities;
  if (!entity) throw new Error('There is no entity');
  const repository = dataSource.getRepository(entity) as unknown as Repository<Row>;
  const next = async (request: { cursor?: string | undefined; sort?: Sort }, order?: 'ASC' | 'DESC') =>
    (await keysetPage(repository, { limit: 5, ...request }, {}, order)).next;
  const [cursor, newest] = [await next({}), await next({ sort: '-id' })];
  expect(await next({ sort: 'id' })).toBe(cursor);
  expect(await next({ cursor, sort: 'id' })).toBe(await next({ cursor }));
  await expect(next({ cursor, sort: '-id' })).rejects.toThrow(InvalidCursor);
  await expect(next({ cursor: newest })).rejects.toThrow(InvalidCursor);
  expect(await next({ sort: '-id' }, 'DESC')).toBe(await next({}, 'DESC'));
});

describe('keysetPage by a column', () => {
  class Visit {
    id!: Int64;
    seenAt!: Date;
    note!: string | null;
    place!: string;
    room!: string;
    key!: string;
    maybe!: string | null;
  }
  PrimaryGeneratedColumn('identity', { type: 'bigint' })(Visit.prototype, 'id');
  Column('text')(Visit.prototype, 'place');
  Column('text')(Visit.prototype, 'room');
  Column('text', { select: false })(Visit.prototype, 'key');
  Column('text', { nullable: true })(Visit.prototype, 'maybe');
  Index(['place'])(Visit);
  Index(['room', 'place'])(Visit);
  Index(['seenAt', 'id'])(Visit);
  Index(['maybe', 'id'])(Visit);
  Unique(['key'])(Visit);
  Column('timestamptz', { name: 'seen_at' })(Visit.prototype, 'seenAt');
  Column('text', { nullable: true })(Visit.prototype, 'note');
  Entity('on_visits')(Visit);

  let visits: Repository<Visit>;
  let source: DataSource;

  beforeAll(async () => {
    source = await new DataSource({ ...poolOptions(database.url), entities: [Visit] }).initialize();
    await source.query(
      `CREATE TABLE on_visits (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, seen_at timestamptz NOT NULL, note text,
        place text NOT NULL DEFAULT '', room text NOT NULL DEFAULT '', key text NOT NULL DEFAULT '', maybe text)`,
    );
    visits = source.getRepository(Visit);
    // Five visits in each of four microseconds of one millisecond
    await source.query(
      `INSERT INTO on_visits (seen_at, note, place)
       SELECT timestamptz '2026-11-26 12:00:00Z' + n % 4 * interval '1 microsecond', n::text, chr(97 + n % 3) FROM generate_series(0, 19) AS n`,
    );
  });
  afterAll(() => source.destroy());

  const ids = async (order: KeysetOrder<Visit>, filter: FindOptionsWhere<Visit> = {}) => {
    const found: Int64[] = [];
    for (let cursor: string | undefined, isLast = false; !isLast;) {
      const page = await keysetPage(visits, { limit: 3, cursor }, filter, order);
      found.push(...page.map(({ id }) => id));
      cursor = page.next;
      isLast = cursor === undefined;
    }
    return found;
  };
  const inOrder = async (direction: string) =>
    (
      await source.query<{ id: Int64 }[]>(
        `SELECT id FROM on_visits ORDER BY seen_at ${direction}, id ${direction}`,
      )
    ).map(({ id }) => id);

  it('loses no microsecond and no digit of an id between two pages', async () => {
    await source.query(
      `INSERT INTO on_visits (id, seen_at) VALUES (9007199254740993, '2026-11-26 12:00:00Z')`,
    );
    expect(await ids({ by: 'seenAt' })).toEqual(await inOrder('ASC'));
    expect(await ids({ by: 'seenAt', order: 'DESC' })).toEqual(await inOrder('DESC'));
  });

  it('does the same by the query builder, for a filter that no prepared statement has', async () => {
    const all = await inOrder('ASC');
    expect(await ids({ by: 'seenAt' }, { id: Not(9007199254740993n) })).toEqual(
      all.filter((id) => id !== 9007199254740993n),
    );
  });

  it('takes its direction from the request', async () => {
    const page = await keysetPage(visits, { limit: 100, sort: '-seenAt' }, {}, { by: 'seenAt' });
    expect(Array.from(page, ({ id }) => id)).toEqual(await inOrder('DESC'));
  });

  it.each([
    ['seenAt', 'seen_at, id'],
    ['-seenAt', 'seen_at DESC, id DESC'],
    ['place', 'place, id'],
    ['-place', 'place DESC, id DESC'],
    ['id', 'id'],
    ['-id', 'id DESC'],
  ])('has several orders: %s, of a list with another order of its own', async (sort, sql) => {
    const inItsOrder = await source.query<{ id: Int64 }[]>(`SELECT id FROM on_visits ORDER BY ${sql}`);
    for (const order of [{ by: 'seenAt', order: 'DESC' }, { by: 'place' }, 'DESC', 'ASC'] as const) {
      const found: Int64[] = [];
      let cursor: string | undefined;
      do {
        const page = await keysetPage(visits, { limit: 3, sort, cursor }, {}, order);
        found.push(...page.map(({ id }) => id));
        cursor = page.next;
      } while (cursor !== undefined);
      expect(found).toEqual(inItsOrder.map(({ id }) => id));
    }
  });

  it.each([
    ['note', 'Visit.note, which needs an index'],
    ['-room', 'Visit.room, which needs an index'], // an index begins with it
    ['unlisted', 'Visit.unlisted, which needs an index'],
    ['constructor', 'Visit.constructor, which needs an index'],
    ['--id', 'Visit.-id, which needs an index'],
    ['', 'Visit., which needs an index'],
    ['key', 'Visit.key, which is hidden'],
    ['maybe', 'NOT NULL, and Visit.maybe is not one'],
  ])('is refused for sort=%s, which would be slow, wrong or shown', async (sort, message) => {
    for (const order of ['ASC', { by: 'seenAt' }] as const)
      await expect(keysetPage(visits, { limit: 1, sort }, {}, order)).rejects.toThrow(message);
  });

  it('binds the cursor to the column and the direction', async () => {
    const { next } = await keysetPage(visits, { limit: 1 }, {}, { by: 'seenAt' });
    await expect(
      keysetPage(visits, { limit: 1, cursor: next }, {}, { by: 'seenAt', order: 'DESC' }),
    ).rejects.toThrow(InvalidCursor);
    await expect(keysetPage(visits, { limit: 1, cursor: next })).rejects.toThrow(InvalidCursor);
    await expect(
      keysetPage(visits, { limit: 1, cursor: next, sort: '-seenAt' }, {}, { by: 'seenAt' }),
    ).rejects.toThrow(InvalidCursor);
  });

  it('takes no made-up cursor whose key is not of the type of the column', async () => {
    const scope = `${visits.metadata.tableName}  [] ASC seenAt `;
    const page = (key: string) =>
      keysetPage(visits, { limit: 1, cursor: encodeCursor(1, scope, key) }, {}, { by: 'seenAt' });
    expect(await page('2026-11-26 12:00:00Z')).toHaveLength(1); // made up like one of the list
    for (const key of ['', 'x', '9'.repeat(5_000)]) await expect(page(key)).rejects.toThrow(InvalidCursor);
  });

  it('is refused for a column that may be NULL', async () => {
    await expect(keysetPage(visits, { limit: 1 }, {}, { by: 'note' })).rejects.toThrow(
      'keysetPage orders by a column that is NOT NULL, and Visit.note is not one.',
    );
  });
});

describe('keysetPage by a column of an entity that is left to TypeORM', () => {
  class Stay {
    id!: Int64;
    key!: string;
    nights!: number;
    leftAt!: Date | null;
    secret!: string;
    meals!: Meal[];
  }
  class Meal {
    id!: Int64;
    stay!: Stay;
    dish!: string;
  }
  PrimaryGeneratedColumn('identity', { type: 'bigint', name: 'stay_no' })(Stay.prototype, 'id');
  Column('text')(Stay.prototype, 'key');
  Column('bigint', { transformer: { to: (n: number) => n * 10, from: (n: number) => n / 10 } })(
    Stay.prototype,
    'nights',
  );
  DeleteDateColumn({ type: 'timestamptz', name: 'left_at' })(Stay.prototype, 'leftAt');
  Column('text', { select: false })(Stay.prototype, 'secret');
  OneToMany(
    () => Meal,
    (meal: Meal) => meal.stay,
    { eager: true },
  )(Stay.prototype, 'meals');
  Entity('on_stays')(Stay);
  PrimaryGeneratedColumn('identity', { type: 'bigint' })(Meal.prototype, 'id');
  ManyToOne(
    () => Stay,
    (stay: Stay) => stay.meals,
  )(Meal.prototype, 'stay');
  JoinColumn({ name: 'stay_no' })(Meal.prototype, 'stay');
  Column('text')(Meal.prototype, 'dish');
  Entity('on_meals')(Meal);

  let stays: Repository<Stay>;

  beforeAll(async () => {
    const source = await new DataSource({
      ...poolOptions(database.url),
      entities: [Stay, Meal],
    }).initialize();
    await source.query(
      `CREATE TABLE on_stays (stay_no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, key text NOT NULL, nights bigint NOT NULL, left_at timestamptz, secret text NOT NULL)`,
    );
    await source.query(
      'CREATE TABLE on_meals (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, stay_no bigint REFERENCES on_stays, dish text NOT NULL)',
    );
    await source.query(
      `INSERT INTO on_stays (key, nights, left_at, secret) SELECT 'k' || n % 3, n % 5 * 10, CASE WHEN n % 7 = 0 THEN now() END, n FROM generate_series(1, 20) AS n`,
    );
    await source.query(
      `INSERT INTO on_meals (stay_no, dish) SELECT 1 + n % 20, 'm' || n % 4 FROM generate_series(1, 60) AS n`,
    );
    stays = source.getRepository(Stay);
  });
  afterAll(() => stays.manager.dataSource.destroy());

  it.each(['key', 'nights'] as const)('returns what find() returns, in the order of %s', async (by) => {
    const filters: FindOptionsWhere<Stay>[] = [{}, { meals: { dish: 'm1' } }, { key: Not('k1') }];
    for (const order of ['ASC', 'DESC'] as const)
      for (const where of filters) {
        const expected = await stays.find({ where, order: { [by]: order, id: order, meals: { id: 'ASC' } } });
        const found: Stay[] = [];
        for (let cursor: string | undefined, isLast = false; !isLast;) {
          const page = await keysetPage(stays, { limit: 3, cursor }, where, { by, order });
          found.push(...page);
          cursor = page.next;
          isLast = cursor === undefined;
        }
        for (const { meals } of found) meals.sort((one, other) => Number(one.id) - Number(other.id));
        expect(found).toStrictEqual(expected);
      }
  });

  it('is refused for a hidden column, which a cursor would show', async () => {
    await expect(keysetPage(stays, { limit: 1 }, {}, { by: 'secret' })).rejects.toThrow(
      'keysetPage does not order by Stay.secret, which is hidden: a cursor shows it.',
    );
  });

  it('is refused for a repository with a find() of its own, whose conditions would be missing', async () => {
    const own = Object.assign(Object.create(stays) as Repository<Stay>, {
      find: () => stays.findBy({ key: 'k1' }),
    });
    await expect(keysetPage(own, { limit: 1 }, {}, { by: 'key' })).rejects.toThrow(
      `keysetPage with "by" does not call the repository's own find().`,
    );
  });
});
