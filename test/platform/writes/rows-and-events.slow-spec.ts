import 'reflect-metadata';
import fc from 'fast-check';
import {
  Column,
  type ColumnOptions,
  DataSource,
  Entity,
  type FindOptionsWhere,
  PrimaryGeneratedColumn,
  UpdateDateColumn,
  VersionColumn,
} from 'typeorm';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity.js';
import { seedOf } from '../../support/contract/run.js';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.js';
import { Clock } from '../../../src/platform/kernel/clock/clock.js';
import { minutes } from '../../../src/platform/kernel/clock/duration.js';
import { poolOptions } from '../../../src/platform/data/database/database.module.js';
import type { Int64 } from '../../../src/platform/kernel/json/int64.js';
import { writeJson } from '../../../src/platform/kernel/json/write-json.js';
import { Changes } from '../../../src/platform/writes/unit-of-work/changes.js';
import { declareEventType, eventType } from '../../../src/platform/writes/unit-of-work/event-type.js';
import { pick } from '../../../src/platform/writes/unit-of-work/pick.js';

const TABLES = 40;
const OPERATIONS = 25;

type Row = Record<string, unknown> & { id: Int64 };
type Values = Record<string, unknown>;

const text = fc.oneof(fc.constantFrom('', 'A', 'a', "it's", '"\\', 'é\u{1F600}', '{}', 'null'), fc.string());
const storable = text.map((value) => value.replaceAll('\0', '').toWellFormed());
const moment = fc.integer({ min: Date.UTC(1900, 0), max: Date.UTC(2100, 0) }).map((time) => new Date(time));

interface Kind {
  readonly options: ColumnOptions;
  readonly values: fc.Arbitrary<unknown>;
  /** Whether an entity with it may have prepared statements, and PostgreSQL may make its JSON. */
  readonly isSimple: boolean;
  readonly isPickable: boolean;
}

const simple = (options: ColumnOptions, values: fc.Arbitrary<unknown>): Kind => ({
  ...{ options, values, isSimple: true, isPickable: false },
});
const pickable = (options: ColumnOptions, values: fc.Arbitrary<unknown>): Kind => ({
  ...{ options, values, isSimple: true, isPickable: true },
});
const odd = (options: ColumnOptions, values: fc.Arbitrary<unknown>): Kind => ({
  ...{ options, values, isSimple: false, isPickable: false },
});

const KINDS: readonly Kind[] = [
  pickable({ type: 'text' }, storable),
  pickable({ type: 'varchar', name: 'a name' }, storable),
  pickable({ type: 'integer' }, fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
  pickable({ type: 'bigint', name: 'select' }, fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
  pickable({ type: 'bigint' }, fc.oneof(fc.integer(), fc.constantFrom(7n, 0n, -0))),
  pickable({ type: 'boolean' }, fc.boolean()),
  pickable(
    { type: 'uuid' },
    fc.oneof(
      fc.uuid(),
      fc.uuid().map((uuid) => uuid.toUpperCase()),
    ),
  ),
  pickable({ type: 'integer', default: 7 }, fc.integer({ min: 0, max: 9 })),
  simple({ type: 'numeric', precision: 10, scale: 2 }, fc.constantFrom('1.505', '-3', '7', 1.5)),
  simple({ type: 'double precision' }, fc.double({ noNaN: true, noDefaultInfinity: true })),
  simple({ type: 'date' }, fc.constantFrom('2024-02-29', '1999-12-31')),
  simple({ type: 'timestamptz' }, moment),
  simple({ type: 'timestamptz', precision: 0 }, moment),
  odd(
    { type: 'jsonb' },
    fc
      .jsonValue({ maxDepth: 2 })
      .map(withoutNul)
      .filter((value) => typeof value === 'object' && value !== null),
  ),
  odd({ type: 'text', array: true }, fc.array(storable, { maxLength: 3 })),
  odd({ type: 'time' }, fc.constantFrom('10:00', '23:59:59.5')),
  odd({ type: 'inet' }, fc.constantFrom('::1', '2001:DB8:0::1', '10.0.0.1/8')),
  odd(
    { type: 'bytea' },
    fc.uint8Array({ maxLength: 4 }).map((bytes) => Buffer.from(bytes)),
  ),
  odd({ type: 'enum', enum: ['big', 'small'] }, fc.constantFrom('big', 'small')),
];

/** What the table does that its class does not say. */
const TWISTS: Record<string, (table: string, column: string) => string> = {
  none: () => '',
  'a trigger': (table) =>
    `CREATE TRIGGER twist BEFORE INSERT OR UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION truth_lower()`,
  'a default': (table) => `ALTER TABLE ${table} ALTER extra SET DEFAULT 'by default'`,
  'a wider text': (table) => `ALTER TABLE ${table} ALTER extra TYPE char(12)`,
  'a generated column': (table) =>
    `ALTER TABLE ${table} ADD also text GENERATED ALWAYS AS (upper(extra)) STORED`,
  'a domain': (table) => `ALTER TABLE ${table} ALTER extra TYPE truth_domain`,
};

function withoutNul(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll(/\\u0000|\\ud[89a-f]../gi, ''));
}

interface Shape {
  readonly kinds: readonly { readonly kind: number; readonly nullable: boolean }[];
  readonly twist: string;
  readonly isVersioned: boolean;
  readonly isDated: boolean;
  readonly data: 'pick' | 'from' | 'legacy';
}

const shapes = fc.record<Shape>({
  kinds: fc.uniqueArray(fc.record({ kind: fc.nat(KINDS.length - 1), nullable: fc.boolean() }), {
    ...{ minLength: 1, maxLength: 5, selector: ({ kind }) => kind },
  }),
  twist: fc.constantFrom(...Object.keys(TWISTS)),
  isVersioned: fc.boolean(),
  isDated: fc.boolean(),
  data: fc.constantFrom('pick', 'pick', 'from', 'legacy'),
});

const seed = seedOf('TRUTH_SEED');
const CASES = fc.sample(shapes, { numRuns: TABLES, seed }).map((shape, i) => {
  const names = shape.kinds.map(({ kind }) => `p${kind}`);
  const entity = (table: string) => {
    class Random {
      id!: Int64;
    }
    PrimaryGeneratedColumn('identity', { type: 'bigint' })(Random.prototype, 'id');
    Column('text', { nullable: true })(Random.prototype, 'extra');
    for (const { kind, nullable } of shape.kinds)
      Column({ ...KINDS[kind]?.options, nullable })(Random.prototype, `p${kind}`);
    if (shape.isVersioned) VersionColumn()(Random.prototype, 'version');
    if (shape.isDated) UpdateDateColumn({ type: 'timestamptz' })(Random.prototype, 'updatedAt');
    Entity(table)(Random);
    return Random as unknown as new () => Row;
  };
  const members = ['id', 'extra', ...names];
  const from =
    shape.data === 'pick'
      ? (pick as unknown as (...members: string[]) => (row: Row) => Values)(...members)
      : (row: Row) => Object.fromEntries(members.map((name) => [name, row[name]]));
  const Data =
    shape.data === 'legacy'
      ? class {
          static data = from;
        }
      : class {
          static readonly from = from;
        };
  const type = eventType<Row, object>(
    `truth.${'abcdefghijklmnopqrstuvwxyz'.charAt(i % 26)}${i >= 26 ? '_b' : ''}`,
    Data,
    {
      description: 'A random row.',
    },
  );
  return { ...shape, i, names, from, type, own: entity(`truth_${i}`), twin: entity(`truth_twin_${i}`) };
});

let database: TestDatabase;
let dataSource: DataSource;
let changes: Changes;

beforeAll(async () => {
  database = await createTestDatabase();
  dataSource = await new DataSource({
    ...poolOptions(database.url),
    connectTimeoutMS: minutes(2), // the machine may be busy
    entities: CASES.flatMap(({ own, twin }) => [own, twin]),
  }).initialize();
  for (const { query } of (await dataSource.driver.createSchemaBuilder().log()).upQueries)
    if (query.includes('"truth_') || query.includes('TYPE "public"."truth_')) await dataSource.query(query);
  await dataSource.query(`
    CREATE DOMAIN truth_domain AS text DEFAULT 'by domain';
    CREATE FUNCTION truth_lower() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN NEW.extra = lower(NEW.extra); RETURN NEW; END $$`);
  for (const { i, twist } of CASES)
    for (const table of [`truth_${i}`, `truth_twin_${i}`])
      if (twist !== 'none') await dataSource.query(TWISTS[twist]?.(table, 'extra') ?? '');
  changes = new Changes(dataSource, new Clock());
  for (const { type } of CASES) declareEventType(type);
});
afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

/** But for what each table has by itself: the date and version of the last write. */
const withoutMarks = (row: Row | null): Values | null =>
  row &&
  Object.fromEntries(Object.entries(row).filter(([name]) => name !== 'updatedAt' && name !== 'version'));

describe(`rows, responses and events are those of plain TypeORM (TRUTH_SEED=${seed})`, () => {
  it.each(CASES)('table $i, $twist, $data, $names', async ({ kinds, names, from, type, own, twin, i }) => {
    const values = (isWhole: boolean): fc.Arbitrary<Values> =>
      fc.record(
        {
          ...Object.fromEntries(
            kinds.map(({ kind, nullable }) => {
              const { values: given = fc.constant(null), options = {} } = KINDS[kind] ?? {};
              const some = nullable ? fc.option(given) : given;
              return [
                `p${kind}`,
                isWhole && (nullable || options.default !== undefined)
                  ? fc.option(some, { nil: undefined })
                  : some,
              ];
            }),
          ),
          extra: fc.option(storable.map((value) => value.slice(0, 10))),
        },
        { requiredKeys: (isWhole ? names : []) as never[] },
      );
    const operations = fc.sample(
      fc.record({
        what: fc.constantFrom('insert', 'update', 'update', 'update', 'again', 'delete'),
        insert: values(true),
        update: values(false),
        isInside: fc.boolean(),
      }),
      { numRuns: OPERATIONS, seed: seed + i },
    );
    const twins = dataSource.getRepository(twin);
    const rows = dataSource.getRepository(own);
    const at = (id: Int64) => ({ id }) as FindOptionsWhere<Row>;
    let row: Row | undefined;
    let given: Values = {};
    for (const { what, insert, update, isInside } of operations) {
      await dataSource.query('TRUNCATE event_outbox');
      const run = <T>(work: (by: Changes) => Promise<T>) =>
        isInside ? changes.transaction(work) : work(changes);
      const before: Row | undefined = row;
      if (!before || what === 'insert') {
        row = await run((by) => by.insert(own, insert, type));
        await twins.save(twins.create(insert));
      } else if (what === 'delete') {
        await run((by) => by.delete(own, before, type));
        await twins.delete(at(before.id));
        row = undefined;
      } else {
        given = what === 'again' ? structuredClone(given) : update;
        row = await run((by) => by.update(own, before, given, type));
        if (Object.keys(given).length > 0)
          await twins.update(at(before.id), given as QueryDeepPartialEntity<Row>);
      }
      const events = await dataSource.query<{ data: string }[]>(
        'SELECT data::text AS data FROM event_outbox',
      );
      const known = row ?? before;
      if (!known) throw new Error('The first operation inserts a row');
      const stored = await rows.findOneBy(at(known.id));
      expect(row ?? null).toEqual(stored);
      expect(withoutMarks(stored)).toEqual(withoutMarks(await twins.findOneBy(at(known.id))));
      const isSame = before !== undefined && stored !== null && before.id === stored.id;
      const changed = !isSame || writeJson(withoutMarks(before)) !== writeJson(withoutMarks(stored));
      expect(events.map(({ data }) => JSON.parse(data) as unknown)).toEqual(
        changed ? [JSON.parse(writeJson(from(stored ?? known)))] : [],
      );
    }
  });
});
