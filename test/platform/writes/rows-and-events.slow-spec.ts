import 'reflect-metadata';
import fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';
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
import { useTimeZone } from '../../support/time-zone.js';
import { Clock } from '../../../src/platform/kernel/clock/clock.js';
import { minutes } from '../../../src/platform/kernel/clock/duration.js';
import { poolOptions } from '../../../src/platform/data/database/database.module.js';
import type { Int64 } from '../../../src/platform/kernel/json/int64.js';
import { writeJson } from '../../../src/platform/kernel/json/write-json.js';
import { Changes } from '../../../src/platform/writes/unit-of-work/changes.js';
import { declareEventType, eventType } from '../../../src/platform/writes/unit-of-work/event-type.js';
import { pick } from '../../../src/platform/writes/unit-of-work/pick.js';

const TABLES = 40;
const COUNT = 25;
/** `assigned`: the caller assigns the values to the row before. `in place`, `copied`: it changes objects of the row, and gives them or shallow copies. */
const OPERATIONS = [
  ...['insert', 'many', 'update', 'update', 'update', 'again', 'delete'],
  ...['assigned', 'in place', 'copied', 'caught'],
] as const;
/** Of the process. The first two had seconds in their offsets. */
const ZONES = ['America/New_York', 'Europe/Berlin', 'UTC'];

type Row = Record<string, unknown> & { id: Int64 };
type Values = Record<string, unknown>;

const text = fc.oneof(fc.constantFrom('', 'A', 'a', "it's", '"\\', 'é\u{1F600}', '{}', 'null'), fc.string());
const storable = text.map((value) => value.replaceAll('\0', '').toWellFormed());
const moment = fc.integer({ min: Date.UTC(1800, 0), max: Date.UTC(2100, 0) }).map((time) => new Date(time));

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
  pickable({ type: 'text', name: `a name of ${'many '.repeat(12)}bytes` }, storable),
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
  'keys that descend': (table) => `ALTER TABLE ${table} ALTER id SET MINVALUE -100000 SET INCREMENT BY -1`,
  'keys that a trigger makes': (table) =>
    `CREATE TRIGGER twist BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION truth_key()`,
  'a column that the class lacks': (table) => `ALTER TABLE ${table} ADD owner truth_owner`,
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
  readonly data: 'pick' | 'from';
}

const shapes = fc.record<Shape>({
  kinds: fc.uniqueArray(fc.record({ kind: fc.nat(KINDS.length - 1), nullable: fc.boolean() }), {
    ...{ minLength: 1, maxLength: 5, selector: ({ kind }) => kind },
  }),
  twist: fc.constantFrom(...Object.keys(TWISTS)),
  isVersioned: fc.boolean(),
  isDated: fc.boolean(),
  data: fc.constantFrom('pick', 'pick', 'from'),
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
  class Data {
    static readonly from = from;
  }
  const type = eventType<Row, object>(
    `truth.${'abcdefghijklmnopqrstuvwxyz'.charAt(i % 26)}${i >= 26 ? '_b' : ''}`,
    Data,
    {
      description: 'A random row.',
    },
  );
  return { ...shape, i, names, from, type, own: entity(`truth_${i}`), twin: entity(`truth_twin_${i}`) };
});

class FailingData {
  static from(): object {
    throw new Error('no data');
  }
}
const FAILING = eventType<Row, object>('truth.failing', FailingData, { description: 'Fails.' });

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
    CREATE DOMAIN truth_owner AS text NOT NULL DEFAULT 'nobody';
    CREATE FUNCTION truth_key() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN NEW.id = (NEW.id * 7919) % 100003; RETURN NEW; END $$;
    CREATE DOMAIN truth_domain AS text DEFAULT 'by domain';
    CREATE FUNCTION truth_lower() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN NEW.extra = lower(NEW.extra); RETURN NEW; END $$`);
  for (const { i, twist } of CASES)
    for (const table of [`truth_${i}`, `truth_twin_${i}`])
      if (twist !== 'none') await dataSource.query(TWISTS[twist]?.(table, 'extra') ?? '');
  changes = new Changes(dataSource, new Clock());
  for (const type of [FAILING, ...CASES.map(({ type }) => type)]) declareEventType(type);
});
afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

/** But for what each table has by itself: the date and version of the last write. */
const withoutMarks = (row: Row | null): Values | null =>
  row &&
  Object.fromEntries(Object.entries(row).filter(([name]) => name !== 'updatedAt' && name !== 'version'));

/** As a careless caller does. */
function changeInPlace(row: Row): void {
  for (const value of Object.values(row)) {
    if (value instanceof Date) value.setTime(value.getTime() + 86_400_000);
    else if (Array.isArray(value)) value.push('more');
    else if (Buffer.isBuffer(value)) value.fill(1);
    else if (typeof value === 'object' && value !== null) Object.assign(value, { more: { of: [1] } });
  }
}

/** Shares what is further inside. */
function copied(value: unknown): unknown {
  if (value instanceof Date) return new Date(value);
  if (Array.isArray(value)) return value.slice();
  if (Buffer.isBuffer(value)) return Buffer.from(value);
  return typeof value === 'object' && value !== null ? { ...value } : value;
}

useTimeZone(ZONES[seed % ZONES.length] ?? 'UTC');

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
        what: fc.constantFrom(...OPERATIONS),
        insert: values(true),
        many: fc.array(values(true), { minLength: 2, maxLength: 4 }),
        update: values(false),
        isInside: fc.boolean(),
      }),
      { numRuns: COUNT, seed: seed + i },
    );
    const twins = dataSource.getRepository(twin);
    const rows = dataSource.getRepository(own);
    const at = (id: Int64) => ({ id }) as FindOptionsWhere<Row>;
    const saveTwins = async (all: readonly Values[]) => {
      for (const one of all) await twins.save(twins.create(one));
    };
    let row: Row | undefined;
    let given: Values = {};
    for (const { what, insert, many, update, isInside } of operations) {
      await dataSource.query('TRUNCATE event_outbox');
      const run = <T>(work: (by: Changes) => Promise<T>) =>
        isInside ? changes.transaction(work) : work(changes);
      const before = row && (await rows.findOneByOrFail(at(row.id)));
      const expected: Row[] = [];
      if (!row || !before || what === 'insert') {
        row = await run((by) => by.insert(own, insert, type));
        await saveTwins([insert]);
        expected.push(row);
      } else if (what === 'many') {
        expected.push(...(await run((by) => by.insertAll(own, many, type))));
        await saveTwins(many);
        const ids = expected.map(({ id }) => id);
        row = expected.at(-1);
        expect(expected).toEqual(await Promise.all(ids.map((id) => rows.findOneBy(at(id)))));
        expect(expected.map(withoutMarks)).toEqual(
          (await Promise.all(ids.map((id) => twins.findOneBy(at(id))))).map(withoutMarks),
        );
      } else if (what === 'delete') {
        const known: Row = row;
        changeInPlace(known);
        await run((by) => by.delete(own, known, type));
        await twins.delete(at(known.id));
        expected.push(before);
        row = undefined;
      } else if (what === 'caught') {
        const known: Row = row;
        const doomed = changes.transaction(async (inside) => {
          await inside.update(own, known, { ...update, extra: 'caught' }, FAILING).catch(() => undefined);
        });
        await expect(doomed).rejects.toThrow('no data');
      } else {
        if (what === 'assigned') Object.assign(row, structuredClone(update));
        given = what === 'again' ? structuredClone(given) : update;
        if (what === 'in place' || what === 'copied') {
          changeInPlace(row);
          const own = Object.entries(row).filter(([name]) => names.includes(name));
          given = Object.fromEntries(
            what === 'copied' ? own.map(([name, value]) => [name, copied(value)]) : own,
          );
        }
        const known: Row = row;
        row = await run((by) => by.update(own, known, given, type));
        if (Object.keys(given).length > 0)
          await twins.update(at(before.id), given as QueryDeepPartialEntity<Row>);
        const stored = await rows.findOneByOrFail(at(before.id));
        if (!isDeepStrictEqual(withoutMarks(before), withoutMarks(stored))) expected.push(stored);
      }
      const events = await dataSource.query<{ data: string }[]>(
        'SELECT data::text AS data FROM event_outbox ORDER BY id',
      );
      const id = (row ?? before)?.id ?? 0;
      const stored = await rows.findOneBy(at(id));
      if (what !== 'caught') expect(row ?? null).toEqual(stored);
      expect(withoutMarks(stored)).toEqual(withoutMarks(await twins.findOneBy(at(id))));
      expect(events.map(({ data }) => data)).toEqual(
        expected.map((one) => writeJson({ id: one.id, ...from(one) })),
      );
    }
  });
});
