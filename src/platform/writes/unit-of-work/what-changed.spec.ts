import 'reflect-metadata';
import { Column, DataSource, Entity, PrimaryGeneratedColumn, VersionColumn } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/test-database.js';
import { becomes } from '../../../../test/support/eventually.js';
import { Clock } from '../../kernel/clock/clock.js';
import { minutes } from '../../kernel/clock/duration.js';
import { poolOptions } from '../../data/database/database.module.js';
import type { Int64 } from '../../kernel/json/int64.js';
import { Changes } from './changes.js';
import { declareEventType, eventType } from './event-type.js';

/** Covered by prepared statements. */
@Entity('what_loans')
class Loan {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' })
  id!: Int64;

  @Column('timestamptz')
  due!: Date;

  @Column('text', { nullable: true })
  note!: string | null;
}

class Reader {
  @Column('text', { nullable: true })
  name!: string | null;
}

/** Left to TypeORM. */
@Entity('what_books')
class Book {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' })
  id!: Int64;

  @Column('timestamptz')
  due!: Date;

  @Column('text', { nullable: true })
  note!: string | null;

  @Column('jsonb', { default: {} })
  tags!: { a?: { b: number[] } };

  @Column('simple-json', { nullable: true })
  text!: { a: number[] } | null;

  @Column('text', { array: true, default: [] })
  words!: string[];

  @Column(() => Reader)
  reader!: Reader;

  @VersionColumn()
  version!: number;
}

/** Its table is made by each test. */
@Entity('what_values', { synchronize: false })
class Value {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' })
  id!: Int64;

  @Column('text')
  value!: string;
}

class Difference {
  static from(after: Loan | Book, before: Loan | Book): object {
    const of = ({ due, note }: Loan | Book) => `${due.toISOString()} ${note ?? ''}`;
    return { from: of(before), to: of(after) };
  }
}

class Whole {
  static from(row: object): object {
    return { ...row };
  }
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- of every entity
const DIFFERENCE = eventType<any, object>('what.changed', Difference, { description: 'A loan.' });
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- of every entity
const VALUE = eventType<any, object>('what.value', Whole, { description: 'A value.' });

let database: TestDatabase;
let dataSource: DataSource;
let changes: Changes;

async function connect(): Promise<void> {
  dataSource = await new DataSource({
    ...poolOptions(database.url),
    connectTimeoutMS: minutes(2), // the machine may be busy
    entities: [Loan, Book, Value],
  }).initialize();
  changes = new Changes(dataSource, new Clock());
}

beforeAll(async () => {
  declareEventType(DIFFERENCE);
  declareEventType(VALUE);
  database = await createTestDatabase();
  await connect();
  for (const { query } of (await dataSource.driver.createSchemaBuilder().log()).upQueries)
    if (query.startsWith('CREATE TABLE "what_')) await dataSource.query(query);
});
afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});
beforeEach(() => dataSource.query('TRUNCATE event_outbox'));

const events = async () =>
  (await dataSource.query<{ data: object }[]>('SELECT data FROM event_outbox ORDER BY id')).map(
    ({ data }) => data,
  );

const DUE = '2026-01-02T00:00:00.000Z';
const LATER = '2026-01-15T00:00:00.000Z';

describe.each([
  ['by a prepared statement', Loan],
  ['by TypeORM', Book],
])('Changes.update with an object that the caller has changed, %s', (_, Target) => {
  const seed = async () => {
    const row = await changes.insert(Target, { due: new Date(DUE), note: 'old' }, DIFFERENCE);
    await dataSource.query('TRUNCATE event_outbox');
    return row;
  };
  const stored = async ({ id }: { id: Int64 }) => {
    const { due, note } = await dataSource.getRepository<Loan | Book>(Target).findOneByOrFail({ id });
    return `${due.toISOString()} ${note ?? ''}`;
  };

  it('writes and records a date that was changed in place', async () => {
    const row = await seed();
    row.due.setUTCDate(15);
    await changes.update(Target, row, { due: row.due }, DIFFERENCE);
    expect(await stored(row)).toBe(`${LATER} old`);
    expect(await events()).toEqual([{ id: row.id, from: `${DUE} old`, to: `${LATER} old` }]);
  });

  it('writes and records what was assigned to the row before', async () => {
    const row = await seed();
    const dto = { due: new Date(LATER), note: 'new' };
    Object.assign(row, dto);
    await changes.update(Target, row, dto, DIFFERENCE);
    expect(await stored(row)).toBe(`${LATER} new`);
    expect(await events()).toEqual([{ id: row.id, from: `${DUE} old`, to: `${LATER} new` }]);
  });

  it('records the row before as it is stored, not as the caller has it', async () => {
    const row = await seed();
    row.due = new Date(LATER);
    const after = await changes.update(Target, row, { note: 'new' }, DIFFERENCE);
    expect(after.due.toISOString()).toBe(DUE);
    expect(await events()).toEqual([{ id: row.id, from: `${DUE} old`, to: `${DUE} new` }]);
  });

  it('writes what is equal already, without an event', async () => {
    const row = await seed();
    await dataSource.query(`
      CREATE OR REPLACE FUNCTION count_writes() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM nextval('writes'); RETURN NULL; END $$;
      CREATE SEQUENCE IF NOT EXISTS writes;
      SELECT setval('writes', 1, false);
      CREATE TRIGGER count AFTER UPDATE ON ${dataSource.getMetadata(Target).tableName}
        FOR EACH ROW EXECUTE FUNCTION count_writes()`);
    const again = await changes.update(Target, row, { due: row.due, note: 'old' }, DIFFERENCE);
    expect(again).toMatchObject({ due: row.due, note: 'old' });
    expect(await dataSource.query(`SELECT nextval('writes')::int AS n`)).toEqual([{ n: 2 }]);
    expect(await events()).toEqual([]);
    if (again instanceof Book) expect(again.version).toBe(2);
  });

  it('returns the row as it is stored where nothing is given, and fails if it no longer exists', async () => {
    const row = await seed();
    row.note = 'new';
    expect(await changes.update(Target, row, { due: undefined }, DIFFERENCE)).toMatchObject({
      note: 'old',
    });
    expect(await events()).toEqual([]);
    await dataSource.getRepository<Loan | Book>(Target).delete({ id: row.id });
    for (const values of [{}, { note: 'new' }])
      await expect(changes.update(Target, row, values, DIFFERENCE)).rejects.toThrow(
        'Could not find any entity',
      );
  });

  it('compares with what another transaction has committed while it waited', async () => {
    const row = await seed();
    const other = dataSource.createQueryRunner();
    await other.startTransaction();
    await other.manager.update(Target, { id: row.id }, { note: 'of the other' });
    const waiting = [
      changes.update(Target, row, { note: 'of the other' }, DIFFERENCE),
      changes.update(Target, row, { due: new Date(LATER) }, DIFFERENCE),
    ];
    await becomes(
      async () =>
        (
          await dataSource.query<object[]>(
            `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
          )
        ).length,
      2,
    );
    await other.commitTransaction();
    await other.release();
    await Promise.all(waiting);
    expect(await events()).toEqual([
      { id: row.id, from: `${DUE} of the other`, to: `${LATER} of the other` },
    ]);
  });
});

describe.each([
  ['by a prepared statement', Loan],
  ['by TypeORM', Book],
])('Changes.delete, %s', (_, Target) => {
  it('records the row as it was stored, whatever the caller has made of it', async () => {
    const row = await changes.insert(Target, { due: new Date(DUE), note: 'old' }, VALUE);
    await dataSource.query('TRUNCATE event_outbox');
    row.due.setUTCDate(15);
    row.note = 'new';
    await changes.delete(Target, row, VALUE);
    expect(await events()).toMatchObject([{ id: row.id, due: DUE, note: 'old' }]);
    await expect(changes.delete(Target, row, VALUE)).rejects.toThrow('Could not find any entity');
    expect(await events()).toHaveLength(1);
  });
});

describe('Changes.update with a copy that shares what the caller has changed', () => {
  const BEFORE = { tags: { a: { b: [1] } }, text: { a: [1] }, words: ['a'], reader: { name: 'Ann' } };

  it.each<[string, (row: Book) => Partial<Book>]>([
    [
      'jsonb',
      (row) => {
        const tags = { ...row.tags };
        tags.a?.b.push(2);
        return { tags };
      },
    ],
    [
      'simple-json',
      (row) => {
        const text = { a: [], ...row.text };
        text.a.push(2);
        return { text };
      },
    ],
    [
      'an array',
      (row) => {
        row.words.push('b');
        return { words: [...row.words] };
      },
    ],
    [
      'an embedded object',
      (row) => {
        row.reader.name = 'Bea';
        // eslint-disable-next-line @typescript-eslint/no-misused-spread -- as callers do
        return { reader: { ...row.reader } };
      },
    ],
  ])('records the change: %s', async (_, change) => {
    const row = await changes.insert(Book, { due: new Date(DUE), ...BEFORE }, VALUE);
    await dataSource.query('TRUNCATE event_outbox');
    const given = change(row);
    const after = await changes.update(Book, row, given, VALUE);
    expect(after).toMatchObject(given);
    expect(await events()).toEqual([expect.objectContaining(given)]);
    await changes.update(Book, after, structuredClone(given), VALUE);
    expect(await events()).toHaveLength(1);
  });
});

describe('Changes.update of a table', () => {
  /** Connects again, since a statement has a plan for the columns of the table before. */
  const table = async (...schema: string[]) => {
    await dataSource.destroy();
    await connect();
    for (const sql of ['DROP TABLE IF EXISTS what_values', ...schema]) await dataSource.query(sql);
  };
  const PLAIN =
    'CREATE TABLE what_values (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, value text)';
  const seed = async (value: string) => {
    const [row] = await dataSource.query<{ id: Int64 }[]>(
      'INSERT INTO what_values (value) VALUES ($1) RETURNING id',
      [value],
    );
    return { id: row?.id } as Value;
  };

  it.each([
    ['float8', '0', '-0', true],
    ['float8', 'NaN', 'NaN', false],
    ['numeric', '1.0', '1.00', true],
    ['numeric', '1.0', '1.0', false],
    ['citext', 'a', 'A', true],
    ['citext', 'a', 'a', false],
    ['text COLLATE anycase', 'a', 'A', true],
    ['text COLLATE anycase', 'a', 'a', false],
    ['bpchar', 'a', 'a ', true],
    ['char(3)', 'a', 'a ', false],
    ['interval', '1 day', '24 hours', true],
    ['jsonb', '{"a": 1.0}', '{"a": 1.00}', true],
    ['jsonb', '{"a":  1, "b": 2}', '{"b": 2, "a": 1}', false],
    ['json', '{"a": 1}', '{"a":  1}', true],
    ['point', '(1,2)', '(1,3)', true], // without =
    ['point', '(1,2)', '(1.0,2)', false],
    ['timestamptz', '2026-01-01 00:00:00.000001Z', '2026-01-01 00:00:00.000002Z', true],
    ['timestamptz', '2026-01-01 00:00:00Z', '2026-01-01 01:00:00+01', false],
  ])('records what PostgreSQL stores otherwise: %s from %s to %s, %s', async (type, from, to, isChange) => {
    await table(
      'CREATE EXTENSION IF NOT EXISTS citext',
      `CREATE COLLATION IF NOT EXISTS anycase (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`,
      PLAIN.replace('value text', `value ${type}`),
    );
    const row = await seed(from);
    await changes.update(Value, row, { value: to }, VALUE);
    expect(await events()).toHaveLength(isChange ? 1 : 0);
    expect(
      await dataSource.query(`SELECT value::text = ($1::${type})::text AS "isStored" FROM what_values`, [to]),
    ).toEqual([{ isStored: true }]);
  });

  it('compares texts that are stored outside of the row', async () => {
    await table(PLAIN, 'ALTER TABLE what_values ALTER value SET STORAGE EXTERNAL');
    const row = await seed('a'.repeat(10_000));
    await changes.update(Value, row, { value: 'a'.repeat(10_000) }, VALUE);
    expect(await events()).toHaveLength(0);
    await changes.update(Value, row, { value: `${'a'.repeat(9_999)}b` }, VALUE);
    expect(await events()).toHaveLength(1);
  });

  it('tells NULL from an empty text', async () => {
    await table(PLAIN);
    const row = await seed('');
    await changes.update(Value, row, { value: null }, VALUE); // the class says NOT NULL
    await changes.update(Value, row, { value: null }, VALUE);
    await changes.update(Value, row, { value: '' }, VALUE);
    expect(await events()).toMatchObject([{ value: null }, { value: '' }]);
  });

  it('records a row that moves to another partition', async () => {
    await table(
      PLAIN.replace(' PRIMARY KEY', '') + ' PARTITION BY LIST (value)',
      `CREATE TABLE what_values_a PARTITION OF what_values FOR VALUES IN ('a')`,
      `CREATE TABLE what_values_rest PARTITION OF what_values DEFAULT`,
    );
    const row = await seed('a');
    expect(await changes.update(Value, row, { value: 'b' }, VALUE)).toEqual({ id: row.id, value: 'b' });
    expect(await changes.update(Value, row, { value: 'b' }, VALUE)).toEqual({ id: row.id, value: 'b' });
    expect(await events()).toEqual([{ id: row.id, value: 'b' }]);
    expect(await dataSource.query('SELECT value FROM what_values_rest')).toEqual([{ value: 'b' }]);
  });

  it('records a row of a view', async () => {
    await table(
      PLAIN,
      'ALTER TABLE what_values RENAME TO what_stored',
      'CREATE VIEW what_values AS TABLE what_stored',
    );
    const row = await seed('a');
    expect(await changes.update(Value, row, { value: 'b' }, VALUE)).toEqual({ id: row.id, value: 'b' });
    await changes.update(Value, row, { value: 'b' }, VALUE);
    expect(await events()).toEqual([{ id: row.id, value: 'b' }]);
    await dataSource.query('DROP VIEW what_values; DROP TABLE what_stored');
  });

  it('records a row of a foreign table', async () => {
    const { hostname, port, username, password } = new URL(database.url);
    await table(
      PLAIN,
      'ALTER TABLE what_values RENAME TO what_remote',
      'CREATE EXTENSION postgres_fdw',
      `DO $$ BEGIN EXECUTE format('CREATE SERVER loopback FOREIGN DATA WRAPPER postgres_fdw
         OPTIONS (host ''${hostname}'', port ''${port}'', dbname %L)', current_database()); END $$`,
      `CREATE USER MAPPING FOR CURRENT_USER SERVER loopback OPTIONS (user '${username}', password '${password}')`,
      `CREATE FOREIGN TABLE what_values (id bigint NOT NULL, value text) SERVER loopback OPTIONS (table_name 'what_remote')`,
    );
    await dataSource.query(`INSERT INTO what_remote (value) VALUES ('a')`);
    const row = { id: 1 } as Value;
    expect(await changes.update(Value, row, { value: 'b' }, VALUE)).toEqual({ id: 1, value: 'b' });
    await changes.update(Value, row, { value: 'b' }, VALUE);
    expect(await events()).toEqual([{ id: 1, value: 'b' }]);
    await dataSource.query('DROP FOREIGN TABLE what_values; DROP TABLE what_remote');
  });

  it('has names of its own for both rows, whatever the columns are called', async () => {
    await table(PLAIN.replace('id bigint', 'before text, after text, id bigint'));
    const row = await seed('a');
    expect(await changes.update(Value, row, { value: 'b' }, VALUE)).toEqual({ id: row.id, value: 'b' });
  });
});
