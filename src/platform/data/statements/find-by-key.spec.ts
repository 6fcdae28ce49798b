import 'reflect-metadata';
import {
  Column,
  DataSource,
  DeleteDateColumn,
  Entity,
  EntityManager,
  PrimaryGeneratedColumn,
  VersionColumn,
} from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/test-database.js';
import { minutes } from '../../kernel/clock/duration.js';
import { poolOptions } from '../database/database.module.js';
import type { Int64 } from '../../kernel/json/int64.js';
import { pageByKey } from '../../http/pagination/keyset.js';
import { findBySql } from './find-by-key.js';

/** With columns whose values are others in the driver than in the entity. */
@Entity('by_sql')
class Simple {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', name: 'no' })
  id!: Int64;

  @Column('text', { name: 'called' })
  name!: string;

  @Column('date', { nullable: true })
  born!: string | null;

  @Column('timestamptz')
  seenAt!: Date;

  @Column('integer')
  key!: number;
}

/** Left to TypeORM. */
@Entity('by_sql_versioned')
class Versioned extends Simple {
  @Column('text', { array: true })
  tags!: string[];

  @VersionColumn()
  version!: number;

  @DeleteDateColumn({ type: 'timestamptz' })
  deletedAt!: Date | null;
}

let database: TestDatabase;
let dataSource: DataSource;

beforeAll(async () => {
  database = await createTestDatabase();
  dataSource = await new DataSource({
    ...poolOptions(database.url),
    connectTimeoutMS: minutes(2), // the machine may be busy
    entities: [Simple, Versioned],
  }).initialize();
  for (const { query } of (await dataSource.driver.createSchemaBuilder().log()).upQueries)
    if (query.startsWith('CREATE TABLE "by_sql')) await dataSource.query(query);
  const rows = Array.from({ length: 7 }, (_, i) => ({
    name: 'cBAb'.charAt(i % 4),
    born: i === 3 ? null : '2024-02-29',
    seenAt: new Date(i),
    key: i,
  }));
  await dataSource.getRepository(Simple).insert(rows);
  await dataSource.getRepository(Versioned).insert(rows.map((row) => ({ ...row, tags: ['a'] })));
});
afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

describe.each([
  ['by a prepared statement', Simple, 'by_sql'],
  ['by TypeORM', Versioned, 'by_sql_versioned'],
])("findBySql: a module's own order, %s", (_, target, table) => {
  it('returns the entities that find() returns, page by page', async () => {
    const found: Simple[] = [];
    let cursor: string | undefined;
    do {
      const page = await pageByKey(
        { limit: 2, cursor },
        () => table,
        (after, take) => {
          const where = after ? 'WHERE (lower(called) COLLATE "C", no) > ($2, $3)' : '';
          return findBySql(
            dataSource.manager,
            target,
            (columns) =>
              `SELECT ${columns}, lower(called) COLLATE "C" FROM ${table} ${where} ORDER BY lower(called) COLLATE "C", no LIMIT $1`,
            after ? [take, after.key, after.id] : [take],
          );
        },
      );
      found.push(...page.map(({ entity }) => entity));
      cursor = page.next;
    } while (cursor !== undefined);
    const expected = await dataSource.getRepository<Simple>(target).find();
    const rank = ({ name, id }: Simple) => `${name.toLowerCase()} ${id}`;
    expect(found).toStrictEqual(expected.sort((one, other) => (rank(one) < rank(other) ? -1 : 1)));
    expect(found.map(({ born }) => born).sort()).toEqual([...Array<string>(6).fill('2024-02-29'), null]);
  });
});

/** The first page of what is left to TypeORM, by its key. */
const firstPage = (limit: number, where = '') =>
  pageByKey(
    { limit, cursor: undefined },
    () => 'by_sql_versioned',
    (_, take) =>
      findBySql(
        dataSource.manager,
        Versioned,
        (columns) => `SELECT ${columns}, key::text FROM by_sql_versioned ${where} ORDER BY key, no LIMIT $1`,
        [take],
      ),
  );

it('findBySql returns the soft-deleted rows that the SQL selects, so that no page is taken for the last one', async () => {
  const repository = dataSource.getRepository(Versioned);
  const [first, second] = await repository.find({ order: { id: 'ASC' }, take: 2 });
  await repository.softDelete([first, second].map((row) => String(row?.id)));
  const all = await firstPage(2);
  expect(Array.from(all, ({ entity }) => [entity.key, entity.deletedAt !== null])).toEqual([
    [0, true],
    [1, true],
  ]);
  expect(all.next).toBeDefined();
  const undeleted = await firstPage(2, 'WHERE "deletedAt" IS NULL');
  expect(Array.from(undeleted, ({ key }) => key)).toEqual(['2', '3']);
});

it('findBySql returns a row that is removed between its statements, so that no page is taken for the last one', async () => {
  const find = jest.spyOn(EntityManager.prototype, 'find');
  find.mockImplementationOnce(async function (this: EntityManager, ...args) {
    await dataSource.query('DELETE FROM by_sql_versioned WHERE key = 6');
    return this.find(...args);
  });
  const page = await firstPage(1, 'WHERE key > 4');
  expect(Array.from(page, ({ key }) => key)).toEqual(['5']);
  expect(page.next).toBeDefined();
});

it('findBySql refuses a row that TypeORM does not find, where a list would end', async () => {
  const find = jest.spyOn(EntityManager.prototype, 'find');
  const read = (manager: EntityManager) =>
    findBySql(manager, Versioned, (columns) => `SELECT ${columns}, key::text FROM by_sql_versioned`, []);
  const inTransaction = dataSource.transaction('READ COMMITTED', async (manager) => {
    find.mockImplementationOnce(async function (this: EntityManager, ...args) {
      await dataSource.query('DELETE FROM by_sql_versioned WHERE key = 5');
      return this.find(...args);
    });
    return read(manager);
  });
  await expect(inTransaction).rejects.toThrow(
    /^The SQL of findBySql selects Versioned 6, but find\(\) does not/,
  );
});

it("findBySql leaves a connection of the caller's as it is", async () => {
  const runner = dataSource.createQueryRunner();
  const read = () =>
    findBySql(
      runner.manager,
      Versioned,
      (columns) => `SELECT ${columns}, key::text FROM by_sql_versioned`,
      [],
    );
  expect(await read()).toEqual(await read());
  await runner.query('BEGIN');
  await read();
  const [row] = (await runner.query('SELECT now() <> statement_timestamp() AS inside')) as {
    inside: boolean;
  }[];
  expect(row).toEqual({ inside: true });
  await runner.query('ROLLBACK');
  await runner.release();
});
