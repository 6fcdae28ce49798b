import { jest } from '@jest/globals';
import fc from 'fast-check';
import { inspect, isDeepStrictEqual } from 'node:util';
import type { Client } from 'pg';
import {
  AfterLoad,
  BeforeInsert,
  Column,
  type ColumnOptions,
  CreateDateColumn,
  DataSource,
  type DeepPartial,
  DeleteDateColumn,
  Entity,
  type EntityManager,
  type EntitySubscriberInterface,
  getMetadataArgsStorage,
  In,
  MoreThan,
  type ObjectLiteral,
  ManyToOne,
  Not,
  PrimaryColumn,
  PrimaryGeneratedColumn,
  QueryFailedError,
  type Repository,
  Table,
  UpdateDateColumn,
  VersionColumn,
} from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../../test/support/test-database.js';
import { minutes, seconds } from '../kernel/clock/duration.js';
import type { Int64 } from '../kernel/json/int64.js';
import { isDatabaseUnavailable } from './database-unavailable.js';
import { poolOptions } from './database.module.js';
import { connectionOptions } from './pool/connection-options.js';
import { keysetPage } from './pagination/keyset.js';
import { StatementBatches } from './pipeline/statement-batches.js';
import { ServiceDataSource, ServiceEntityManager } from './service-data-source.js';
import { codePoint } from '../../test/support/code-point.js';

const RUNS = 40;
jest.setTimeout(minutes(4) + RUNS * seconds(3)); // generous, for slow machines

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase('template1');
});
afterAll(() => database.drop());

type Row = { id: Int64 } & Record<string, unknown>;
type Target = new () => Row;

/** A feature of TypeORM that the fast path does not support. */
interface Feature {
  readonly decorate?: (prototype: object, owner: Target) => void;
  readonly subscriber?: (target: Target) => EntitySubscriberInterface;
}

const column = (name: string, options: ColumnOptions): Feature => ({
  decorate: (prototype) => {
    Column({ type: 'text', ...options })(prototype, name);
  },
});

class Address {
  street?: string;
}

const features: Record<string, Feature> = {
  version: {
    decorate: (prototype) => {
      VersionColumn()(prototype, 'revision');
    },
  },
  'soft deletion': {
    decorate: (prototype) => {
      DeleteDateColumn()(prototype, 'deletedAt');
    },
  },
  'a hidden column': column('secret', { select: false, default: 'x' }),
  'a column that is not inserted': column('fixed', { insert: false, default: 'x' }),
  'a generated column': column('computed', {
    generatedType: 'STORED',
    asExpression: `'x'::text`,
    insert: false,
  }),
  'a transformer': column('turned', {
    default: 'y',
    transformer: { to: (value: string) => value, from: (value: string) => `from ${value}` },
  }),
  'an array': column('tags', { array: true, default: '{a,b}' }),
  'a simple array': column('list', { type: 'simple-array', default: 'a,b' }),
  'an enumeration': column('kind', { type: 'enum', enum: ['1', 'two'], default: 'two' }),
  json: column('data', { type: 'jsonb', default: '{"a": 1}' }),
  'embedded columns': {
    decorate: (prototype) => {
      Column('text', { nullable: true })(Address.prototype, 'street');
      Column(() => Address)(prototype, 'address');
    },
  },
  'a listener that writes': {
    decorate: (prototype) => {
      Object.assign(prototype, {
        prepare(this: Row) {
          this.stamped = 'by the listener';
        },
      });
      Column('text', { nullable: true })(prototype, 'stamped');
      BeforeInsert()(prototype, 'prepare');
    },
  },
  'a listener that reads': {
    decorate: (prototype) => {
      Object.assign(prototype, {
        show(this: Row) {
          this.seen = true;
        },
      });
      AfterLoad()(prototype, 'show');
    },
  },
  'a subscriber': {
    subscriber: (target) => ({
      listenTo: () => target,
      afterLoad: (entity: Row) => {
        entity.loaded = true;
      },
      beforeInsert: ({ entity }) => {
        (entity as Row).noted = 'x';
      },
    }),
  },
  'an eager relation': {
    decorate: (prototype, owner) => {
      ManyToOne(() => owner, { eager: true, nullable: true })(prototype, 'owner');
    },
  },
  'a second key': {
    decorate: (prototype) => {
      PrimaryColumn('text', { default: 'z' })(prototype, 'tenant');
    },
  },
};

const text = fc.oneof(
  fc.constantFrom('', 'Rex', 'Rex', "O'Hara", 'a"b', '\u0000', '5', 'NaN', '2026-01-02'),
  fc.string({ unit: codePoint, maxLength: 8 }),
);
const int = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.integer(),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
);
const date = fc.date({ min: new Date('1990-01-01'), max: new Date('2040-01-01'), noInvalidDate: true });
const double = fc.double({ noDefaultInfinity: true, noNaN: true });

const types = {
  text: { type: 'text', values: text, initial: 'none' },
  string: { type: String, values: text, initial: 'none' },
  short: { type: 'varchar', values: text, initial: 'none' },
  int: { type: 'int', values: int, initial: 7 },
  bigint: { type: 'bigint', values: int, initial: 7 },
  number: { type: Number, values: int, initial: 7 },
  real: { type: 'double precision', values: double, initial: 0.5 },
  numeric: { type: 'numeric', values: double, initial: 0.5 },
  boolean: { type: 'boolean', values: fc.boolean(), initial: true },
  flag: { type: Boolean, values: fc.boolean(), initial: true },
  uuid: { type: 'uuid', values: fc.uuid(), initial: '00000000-0000-0000-0000-000000000000' },
  moment: { type: 'timestamptz', values: date, initial: '2026-01-02T03:04:05Z' },
  local: { type: Date, values: date, initial: '2026-01-02T03:04:05' },
  day: { type: 'date', values: fc.constantFrom('2026-01-02', '0001-01-01'), initial: '2026-01-02' },
} as const;

const columnOf = (kind: keyof typeof types) =>
  fc.record({
    kind: fc.constant(kind),
    nullable: fc.boolean(),
    hasDefault: fc.boolean(),
    unique: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
    name: fc.constantFrom(undefined, `the "${kind}" column`, kind.toUpperCase()),
  });
type ColumnPlan = ReturnType<typeof columnOf> extends fc.Arbitrary<infer T> ? T : never;

const entities = fc.record({
  table: fc.constantFrom('things', 'some "things"', 'UPPER', 'x'.repeat(60)),
  schema: fc.constantFrom(undefined, 'another one'),
  dates: fc.boolean(),
  columns: fc
    .subarray(Object.keys(types) as (keyof typeof types)[], { minLength: 1, maxLength: 5 })
    .chain((kinds) => fc.tuple(...kinds.map(columnOf))),
  feature: fc.option(fc.constantFrom(...Object.keys(features)), { freq: 2 }),
});
type EntityPlan = typeof entities extends fc.Arbitrary<infer T> ? T : never;

function define({ table, schema, dates, columns, feature }: EntityPlan) {
  class Owner {
    id!: Int64;
  }
  PrimaryGeneratedColumn('identity', { type: 'bigint' })(Owner.prototype, 'id');
  Entity('owners')(Owner);
  class Thing {
    readonly constructed = true;
  }
  PrimaryGeneratedColumn('identity', { type: 'bigint', name: 'the_id', generatedIdentity: 'ALWAYS' })(
    Thing.prototype,
    'id',
  );
  for (const { kind, nullable, hasDefault, unique, name } of columns) {
    const { type, initial } = types[kind];
    const length = kind === 'short' ? { length: '5' } : {};
    const more = { nullable, unique, ...(name && { name }), ...(hasDefault && { default: initial }) };
    Column({ type, ...length, ...more })(Thing.prototype, kind);
  }
  if (dates) {
    CreateDateColumn({ type: 'timestamptz' })(Thing.prototype, 'createdAt');
    UpdateDateColumn({ type: 'timestamptz' })(Thing.prototype, 'updatedAt');
  }
  Entity(table, schema === undefined ? {} : { schema })(Thing);
  const [target, owner] = [Thing, Owner] as unknown as [Target, Target]; // the properties come from the plan
  const { decorate, subscriber } = features[feature ?? ''] ?? {};
  decorate?.(Thing.prototype, owner);
  return { target, owner, subscriber: subscriber?.(target) };
}

const valuesFor = (columns: readonly ColumnPlan[]) =>
  fc.record<Record<string, unknown>>(
    {
      ...Object.fromEntries(
        columns.map(({ kind }) => [
          kind,
          fc.oneof(
            { weight: 6, arbitrary: types[kind].values as fc.Arbitrary<unknown> },
            fc.constantFrom(null, undefined),
          ),
        ]),
      ),
      id: fc.constantFrom(undefined, undefined, undefined, undefined, 1),
      unknown: fc.constant('x'),
      createdAt: fc.constantFrom(undefined, new Date('2026-01-02T03:04:05.678Z')),
      updatedAt: fc.constantFrom(undefined, new Date('2026-01-02T03:04:05.678Z')),
      stamped: fc.constant('y'),
    },
    { requiredKeys: columns.map(({ kind }) => kind) },
  );

type Operation = (repository: Repository<Row>) => Promise<unknown>;
interface NamedOperation {
  readonly name: string;
  readonly run: Operation;
}

const operation = (columns: readonly ColumnPlan[]): fc.Arbitrary<NamedOperation> => {
  const inserts = valuesFor(columns).map((values) => ({
    name: `insert ${inspect(values)}`,
    run: (repository: Repository<Row>) => insert(repository, values),
  }));
  const updates = valuesFor(columns).map((values) => ({
    name: `update ${inspect(values)}`,
    run: (repository: Repository<Row>) => update(repository, values),
  }));
  const filters = fc.oneof(
    fc.constantFrom<Int64>(1, 2, 3, 4, 99, 2n ** 63n - 1n, -1).map((id) => ({ id })),
    valuesFor(columns),
    fc.constantFrom(...columns).chain(({ kind }) =>
      fc.record({
        [kind]: (types[kind].values as fc.Arbitrary<unknown>).chain((value) =>
          fc.constantFrom(value, MoreThan(value), Not(value), In([value])),
        ),
      }),
    ),
  );
  const properties = ['id', ...columns.map(({ kind }) => kind)];
  const finds = fc
    .record({
      way: fc.constantFrom('find', 'findBy', 'findOne', 'findOneBy', 'findOneOrFail'),
      where: filters,
      order: fc.dictionary(fc.constantFrom(...properties), fc.constantFrom('ASC', 'DESC', 'asc', 1)),
      take: fc.constantFrom(undefined, 0, 1, 3, 0.5),
      more: fc.constantFrom(
        {},
        {},
        {},
        { lock: { mode: 'pessimistic_write' } },
        { select: { id: true } },
        { skip: 1 },
        { withDeleted: true },
      ),
    })
    .map(({ way, where, order, take, more }) => ({
      name: `${way} ${inspect({ where, order, take, ...more })}`,
      run: (repository: Repository<Row>) => {
        // Without ORDER BY, PostgreSQL may return any rows.
        const options = {
          where,
          order: { ...order, id: 'ASC' },
          ...(take !== undefined && { take }),
          ...more,
        } as never;
        if (way === 'findBy') return repository.findBy(where as never).then((rows) => rows.sort(byId));
        if (way === 'findOneBy') return repository.findOneBy({ ...where, id: 1 });
        return repository[way as 'find'](options);
      },
    }));
  const softDeletes = fc.constantFrom(1, 2).map((id) => ({
    name: `softDelete ${id}`,
    run: async (repository: Repository<Row>) => {
      if (repository.metadata.deleteDateColumn) await repository.softDelete({ id });
    },
  }));
  const pages = fc
    .tuple(
      fc.integer({ min: 1, max: 3 }),
      fc.option(fc.constantFrom(...columns)),
      fc.infiniteStream(fc.nat()),
    )
    .chain(([limit, column]) =>
      (column ? (types[column.kind].values as fc.Arbitrary<unknown>) : fc.constant(undefined)).map(
        (value) => ({
          name: `keysetPage ${limit} ${column?.kind} ${inspect(value)}`,
          run: (repository: Repository<Row>) =>
            walk(repository, limit, column ? { [column.kind]: value } : {}),
        }),
      ),
    );
  return fc.oneof(
    { weight: 5, arbitrary: inserts },
    { weight: 3, arbitrary: finds },
    updates,
    pages,
    softDeletes,
  );
};

const byId = (one: Row, other: Row): number => Number(one.id) - Number(other.id);

const FOLLOW_UP = { sql: () => 'SELECT FROM written', values: [] };

async function insert<R extends ObjectLiteral>(
  { manager, target }: Repository<R>,
  values: DeepPartial<R>,
): Promise<R> {
  const inserted =
    manager instanceof ServiceEntityManager
      ? await manager.insertWith(target, values, () => FOLLOW_UP)
      : undefined;
  return inserted ?? manager.save(target, manager.create(target, values));
}

async function update({ manager, target }: Repository<Row>, values: object): Promise<void> {
  if (manager instanceof ServiceEntityManager) {
    const isThere = await manager.updateWith(target, 1, values, FOLLOW_UP);
    if (isThere !== undefined) return;
  }
  await manager.update(target, { id: 1 }, values);
}

async function walk(repository: Repository<Row>, limit: number, filter: object): Promise<unknown[]> {
  const pages: unknown[] = [];
  let cursor: string | undefined;
  do {
    const page = await keysetPage(repository, { limit, ...(cursor !== undefined && { cursor }) }, filter);
    pages.push([...page]);
    cursor = page.next;
  } while (cursor !== undefined && pages.length < 20);
  return pages;
}

/** The outcome of an operation, for comparison. Replaces times of this minute, which PostgreSQL has set. */
async function outcomeOf(
  { manager, target }: Repository<Row>,
  { run }: NamedOperation,
  inTransaction: boolean,
): Promise<unknown> {
  const runWith = (by: EntityManager) => run(by.getRepository<Row>(target));
  try {
    return withoutNow(await (inTransaction ? manager.transaction(runWith) : runWith(manager)));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (!(error instanceof QueryFailedError)) return { type: error.constructor.name, message: error.message };
    const { code, constraint } = error.driverError as { code?: string; constraint?: string };
    return { type: 'QueryFailedError', message: error.message, code, constraint };
  }
}

function withoutNow(value: unknown): unknown {
  if (value instanceof Date) return Math.abs(Date.now() - value.getTime()) < 86_400_000 ? 'now' : value;
  if (Array.isArray(value)) return value.map(withoutNow);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.create(Object.getPrototypeOf(value) as object) as Record<string, unknown>;
  for (const [property, inner] of Object.entries(value)) copy[property] = withoutNow(inner);
  return copy;
}

/** The entities that earlier suites defined. */
const KNOWN = Object.values(getMetadataArgsStorage())
  .filter((list) => Array.isArray(list))
  .map((list) => ({ list, length: list.length }));

/** Removes entities: TypeORM keeps all that were ever defined, and scans them at each start. */
function forgetEntities(): void {
  for (const { list, length } of KNOWN) list.length = length;
}

async function connect(plan: ReturnType<typeof define>, fastPaths?: boolean): Promise<DataSource> {
  const { target, owner, subscriber } = plan;
  const options = { ...connectionOptions(database.url), entities: [target, owner] };
  const dataSource =
    fastPaths === undefined ? new DataSource(options) : new ServiceDataSource(options, { fastPaths });
  await dataSource.initialize();
  if (subscriber) dataSource.subscribers.push(subscriber);
  return dataSource;
}

/** Creates the tables without TypeORM's schema builder, which does not escape quotes in names. */
async function createTables(dataSource: DataSource): Promise<void> {
  await dataSource.query('DROP SCHEMA IF EXISTS "another one" CASCADE; CREATE SCHEMA "another one"');
  await dataSource.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  const metadatas = [...dataSource.entityMetadatas].sort((a, b) => a.relations.length - b.relations.length);
  for (const metadata of metadatas) {
    const table = metadata.tablePath
      .split('.')
      .map((part) => dataSource.driver.escape(part))
      .join('.');
    const columns = Table.create(metadata, dataSource.driver).columns.map((column) => {
      const name = dataSource.driver.escape(column.name);
      if (column.isGenerated) return `${name} bigint GENERATED ALWAYS AS IDENTITY`;
      const type = column.enum ? 'text' : dataSource.driver.createFullType(column);
      const value =
        column.asExpression === undefined ? '' : `GENERATED ALWAYS AS (${column.asExpression}) STORED`;
      const initial = column.default === undefined ? '' : `DEFAULT ${column.default}`;
      return `${name} ${type} ${column.isNullable ? '' : 'NOT NULL'} ${initial} ${value} ${column.isUnique ? 'UNIQUE' : ''}`;
    });
    const keys = metadata.primaryColumns.map((column) => dataSource.driver.escape(column.databaseName));
    await dataSource.query(`CREATE TABLE ${table} (${columns.join()}, PRIMARY KEY (${keys.join()}))`);
  }
}

/** Sets the next id, for equal ids on both ways: a failed insert may or may not consume a number of the sequence. */
async function setNextId({ metadata, manager }: Repository<Row>, id: number): Promise<void> {
  const table = metadata.tablePath.split('.').map((part) => manager.dataSource.driver.escape(part));
  await manager.query(`SELECT setval(pg_get_serial_sequence($1, 'the_id'), $2, false)`, [
    table.join('.'),
    id,
  ]);
}

describe('the fast path', () => {
  const cases = entities.chain((entity) =>
    fc.record({
      entity: fc.constant(entity),
      operations: fc.array(operation(entity.columns), { minLength: 8, maxLength: 16 }),
      inTransaction: fc.boolean(),
    }),
  );

  it('has the same results and errors as TypeORM for every entity, also in transactions', async () => {
    const batches = (['read', 'write'] as const).map((way) => jest.spyOn(StatementBatches.prototype, way));
    const used = () => batches.reduce((sum, { mock }) => sum + mock.calls.length, 0);
    await fc.assert(
      fc.asyncProperty(cases, async ({ entity, operations, inTransaction }) => {
        const plan = define(entity);
        const [standard, fast] = [await connect(plan), await connect(plan, true)];
        try {
          const outcomes: unknown[][] = [];
          const before = used();
          for (const dataSource of [standard, fast]) {
            await createTables(standard);
            const repository = dataSource.getRepository(plan.target);
            const outcome: unknown[] = [];
            for (const [i, one] of operations.entries()) {
              await setNextId(repository, i + 1);
              outcome.push(await outcomeOf(repository, one, inTransaction));
            }
            outcomes.push(outcome);
          }
          for (const [i, one] of operations.entries()) {
            const [expected, actual] = [outcomes[0]?.[i], outcomes[1]?.[i]];
            if (isDeepStrictEqual(actual, expected)) continue;
            throw new Error(`${one.name}\nTypeORM: ${inspect(expected)}\nfast path: ${inspect(actual)}`);
          }
          if (entity.feature !== null || inTransaction) expect(used()).toBe(before);
        } finally {
          await Promise.all([standard.destroy(), fast.destroy()]);
          forgetEntities();
        }
      }),
      { numRuns: RUNS },
    );
    expect(used()).toBeGreaterThan(0);
    for (const spy of batches) spy.mockRestore();
  });
});

describe('a plain entity', () => {
  class Note {
    id!: Int64;
    text!: string;
  }
  class Wide {
    id!: Int64;
    aPropertyWithANameThatTakesALotOfRoomAndMakesStatementNamesLong!: string;
  }
  let dataSource: DataSource;
  let notes: Repository<Note>;
  let reads: jest.SpiedFunction<StatementBatches['read']>;

  beforeAll(async () => {
    for (const [target, property] of [
      [Note, 'text'],
      [Wide, 'aPropertyWithANameThatTakesALotOfRoomAndMakesStatementNamesLong'],
    ] as const) {
      PrimaryGeneratedColumn('identity', { type: 'bigint' })(target.prototype, 'id');
      Column('text')(target.prototype, property);
      Entity()(target);
    }
    dataSource = new ServiceDataSource(
      { ...poolOptions(database.url), entities: [Note, Wide] },
      { fastPaths: true },
    );
    await dataSource.initialize();
    await dataSource.synchronize(true);
    notes = dataSource.getRepository(Note);
  });
  beforeEach(() => {
    reads = jest.spyOn(StatementBatches.prototype, 'read');
  });
  afterEach(() => {
    reads.mockRestore();
    dataSource.subscribers.length = 0;
  });
  afterAll(() => dataSource.destroy());

  const add = (text: string) => notes.save({ text });

  it('uses the fast path', async () => {
    const { id } = await add('first');
    expect(await notes.findOneBy({ id })).toBeInstanceOf(Note);
    expect(await dataSource.manager.findOneByOrFail(Note, { id })).toEqual({ id, text: 'first' });
    expect(reads).toHaveBeenCalledTimes(2);
  });

  it('is a separate object for each caller, even for concurrent reads', async () => {
    const { id } = await add('shared');
    const [one, other] = await Promise.all([notes.findOneBy({ id }), notes.findOneBy({ id })]);
    expect(one).toEqual(other);
    expect(one).not.toBe(other);
  });

  it("is read in the manager's transaction", async () => {
    const ids: Int64[] = [];
    const failed = dataSource.transaction(async (manager) => {
      const { id } = await manager.save(Note, { text: 'rolled back' });
      expect(await manager.findOneBy(Note, { id })).toEqual({ id, text: 'rolled back' });
      ids.push(id);
      throw new Error('undone');
    });
    await expect(failed).rejects.toThrow('undone');
    for (const id of ids) expect(await notes.findOneBy({ id })).toBeNull();
  });

  it('supports pages even if its columns have long names', async () => {
    const wide = dataSource.getRepository(Wide);
    const [property] = ['aPropertyWithANameThatTakesALotOfRoomAndMakesStatementNamesLong'] as const;
    for (let i = 0; i < 5; i++) await wide.save({ [property]: 'x' });
    const first = await keysetPage(wide, { limit: 2 }, { [property]: 'x' });
    const second = await keysetPage(wide, { limit: 2, cursor: first.next }, { [property]: 'x' });
    expect([...first, ...second].map(({ id }) => id)).toEqual([1, 2, 3, 4]);
    expect(reads).toHaveBeenCalledTimes(2);
  });

  it('supports the operators of `find`, such as In()', async () => {
    const ids: Int64[] = [];
    for (const text of ['a', 'b', 'c', 'd']) ids.push((await add(text)).id);
    const filter = { id: In(ids), text: Not('c') };
    const first = await keysetPage(notes, { limit: 2 }, filter);
    const second = await keysetPage(notes, { limit: 2, cursor: first.next }, filter);
    expect([...first, ...second].map(({ text }) => text)).toEqual(['a', 'b', 'd']);
    expect(reads).not.toHaveBeenCalled();
    await expect(keysetPage(notes, { limit: 2, cursor: first.next }, { id: In(ids) })).rejects.toThrow(
      /cursor/,
    );
  });

  it.each([
    ['a property that it does not have', { 'text" = text --': 'x' }, /Property .* was not found/],
    ['null', { text: null }, /Null/i],
  ])('rejects %s as a filter', async (_, filter, message) => {
    await expect(keysetPage(notes, { limit: 2 }, filter as never)).rejects.toThrow(message);
  });

  it('is not plain if it has a default order', async () => {
    class Sorted {
      id!: Int64;
    }
    PrimaryGeneratedColumn('identity', { type: 'bigint' })(Sorted.prototype, 'id');
    Entity({ orderBy: { id: 'DESC' } })(Sorted);
    const options = { ...poolOptions(database.url), entities: [Sorted] };
    const sorted = await new ServiceDataSource(options, { fastPaths: true }).initialize();
    await sorted.synchronize();
    const table = sorted.getRepository(Sorted);
    await table.insert([{}, {}]);
    expect((await table.find()).map(({ id }) => id)).toEqual([2, 1]);
    await sorted.destroy();
  });

  it('is left to TypeORM once it has a subscriber', async () => {
    const { id } = await add('heard');
    dataSource.subscribers.push({ listenTo: () => Note });
    await notes.findOneBy({ id });
    expect(reads).not.toHaveBeenCalled();
    dataSource.subscribers.push({ listenTo: () => Wide });
    dataSource.subscribers.shift();
    await notes.findOneBy({ id });
    expect(reads).toHaveBeenCalled();
  });

  it('is read by the methods of a custom repository', async () => {
    const custom = notes.extend({ findOneBy: () => Promise.resolve(null) });
    const { id } = await add('there');
    expect(await custom.findOneBy({ id })).toBeNull();
    expect(reads).not.toHaveBeenCalled();
  });

  it('is not silently inserted into a transaction that begins on a released connection', async () => {
    const runner = dataSource.createQueryRunner();
    const client = (await runner.connect()) as Client;
    const late = client.query('BEGIN');
    await runner.release();
    await expect(insert(notes, { text: 'swallowed' })).rejects.toThrow('left open');
    await late;
    expect(await notes.findOneBy({ text: 'swallowed' })).toBeNull();
    await insert(notes, { text: 'kept' });
    expect(await notes.findOneBy({ text: 'kept' })).not.toBeNull();
  });

  it('is read by TypeORM after a migration changed a column', async () => {
    const { id } = await add('42');
    await notes.findOneBy({ id });
    await dataSource.query('ALTER TABLE note ALTER text TYPE integer USING 0');
    expect(await notes.findOneBy({ id })).toEqual({ id, text: 0 });
    await dataSource.query(`ALTER TABLE note ALTER text TYPE text USING ''`);
  });

  it('is unavailable once in a transaction after a migration changed a column', async () => {
    const { id } = await add('42');
    const find = () => dataSource.transaction((manager) => manager.findOneBy(Note, { id }));
    await find();
    await dataSource.query('ALTER TABLE note ALTER text TYPE integer USING 0');
    expect(isDatabaseUnavailable(await find().catch((error: unknown) => error))).toBe(true);
    expect(await find()).toEqual({ id, text: 0 });
    await dataSource.query(`ALTER TABLE note ALTER text TYPE text USING ''`);
  });
});

describe('a data source without fast paths', () => {
  it('never uses the fast path', async () => {
    class Other {
      id!: Int64;
    }
    PrimaryGeneratedColumn('identity', { type: 'bigint' })(Other.prototype, 'id');
    Column('text', { nullable: true })(Other.prototype, 'text');
    Entity()(Other);
    const options = { ...connectionOptions(database.url), entities: [Other] };
    const dataSource = new ServiceDataSource(options, { fastPaths: false });
    await dataSource.initialize();
    await dataSource.synchronize();
    const reads = jest.spyOn(StatementBatches.prototype, 'read');
    expect(await dataSource.getRepository(Other).findOneBy({ id: 1 })).toBeNull();
    expect(await keysetPage(dataSource.getRepository(Other), { limit: 1 })).toHaveLength(0);
    expect(reads).not.toHaveBeenCalled();
    reads.mockRestore();
    await dataSource.destroy();
  });
});
