import { jest } from '@jest/globals';
import pg from 'pg';
import { DataSource, type EntityManager, type QueryRunner } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../../../test/support/test-database.js';
import { poolOptions } from '../database.module.js';
import { enableFastPath, execute } from './fast-path.js';
import { PipeliningQueryRunner } from './pipelining-query-runner.js';
import { statement } from './statement.js';

const INSERT = statement('INSERT INTO notes (text) VALUES ($1)');

const POOL = 3;

let database: TestDatabase;
let dataSource: DataSource;
let packets: jest.SpiedFunction<typeof pg.Client.prototype.query>;

beforeAll(async () => {
  database = await createTestDatabase('template1');
  dataSource = new DataSource({ ...poolOptions(database.url), poolSize: POOL });
  await dataSource.initialize();
  await dataSource.query('CREATE TABLE notes (text text NOT NULL CHECK (text <> $$bad$$))');
  enableFastPath(dataSource);
});
beforeEach(async () => {
  await dataSource.query('TRUNCATE notes');
  packets = jest.spyOn(pg.Client.prototype, 'query');
});
afterEach(() => {
  packets.mockRestore();
  dataSource.subscribers.length = 0;
  dataSource.setOptions({ logging: false });
});
afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

const write = (manager: EntityManager, text: string | null) => execute(manager, INSERT, [text]);
const texts = async (by: DataSource | EntityManager = dataSource) =>
  (await by.query<{ text: string }[]>('SELECT text FROM notes ORDER BY text')).map(({ text }) => text);
const runnerOf = ({ queryRunner }: EntityManager) => queryRunner as PipeliningQueryRunner;

describe('a transaction', () => {
  it('sends nothing without a statement', async () => {
    await dataSource.transaction(() => Promise.resolve());
    await expect(dataSource.transaction(() => Promise.reject(new Error('undone')))).rejects.toThrow('undone');
    expect(packets).not.toHaveBeenCalled();
  });

  it('sends its begin and its commit together with the statements that return nothing', async () => {
    await dataSource.transaction(async (manager) => {
      await write(manager, 'a');
      await write(manager, 'b');
    });
    expect(packets).toHaveBeenCalledTimes(1);
    expect(await texts()).toEqual(['a', 'b']);
  });

  it('sends its begin with the first statement that returns something', async () => {
    const rows = await dataSource.transaction((manager) =>
      runnerOf(manager).run({
        ...statement('SELECT $1::int, true'),
        values: ['7'],
      }),
    );
    expect(packets).toHaveBeenCalledTimes(2);
    expect(rows.rows.map((row) => row.map((text, i) => rows.parsers[i]?.(String(text))))).toEqual([
      [7, true],
    ]);
  });

  it('reads what it has written', async () => {
    await dataSource.transaction(async (manager) => {
      await write(manager, 'a');
      expect(await texts(manager)).toEqual(['a']);
      await write(manager, 'b');
      const { rows } = await runnerOf(manager).run({
        ...statement('SELECT count(*) FROM notes'),
        values: [],
      });
      expect(rows).toEqual([['2']]);
    });
  });

  it.each([
    ['thrown by its work', ['a'], new Error('undone')],
    ['of a write that is sent with the commit', ['a', 'bad', 'b'], undefined],
    ['of the only write', [null], undefined],
  ])('is rolled back by an error %s', async (_, written, thrown) => {
    const transaction = dataSource.transaction(async (manager) => {
      for (const text of written) await write(manager, text);
      if (thrown) throw thrown;
    });
    await expect(transaction).rejects.toMatchObject(
      thrown ?? { name: 'QueryFailedError', query: INSERT.text, driverError: { table: 'notes' } },
    );
    expect(await texts()).toEqual([]);
    expect(await inTransaction()).toBe(0);
  });

  it('fails in the statement after a write that fails', async () => {
    const transaction = dataSource.transaction(async (manager) => {
      await write(manager, 'bad');
      await expect(texts(manager)).rejects.toMatchObject({ query: INSERT.text });
      await write(manager, 'after');
    });
    await expect(transaction).rejects.toMatchObject({ driverError: { code: '25P02' } });
    expect(await texts()).toEqual([]);
  });

  it.each(['bad', 'good'])('goes on after one within it has failed, having written "%s"', async (text) => {
    await dataSource.transaction(async (manager) => {
      await write(manager, 'before');
      const inner = manager.transaction(async (nested) => {
        await write(nested, text);
        throw new Error('undone');
      });
      await expect(inner).rejects.toThrow('undone');
      const failing = manager.transaction((nested) => write(nested, 'bad'));
      await expect(failing).rejects.toMatchObject({ driverError: { code: '23514' } });
      await write(manager, 'after');
    });
    expect(await texts()).toEqual(['after', 'before']);
  });

  it('has the isolation that it asks for', async () => {
    await dataSource.transaction('SERIALIZABLE', async (manager) => {
      expect(await manager.query('SHOW transaction_isolation')).toEqual([
        { transaction_isolation: 'serializable' },
      ]);
    });
  });

  it('runs on a connection that has lost its prepared statements', async () => {
    const writeTwice = () =>
      dataSource.transaction(async (manager) => {
        await write(manager, 'a');
        expect(await texts(manager)).toContain('a');
        await write(manager, 'b');
      });
    await writeTwice();
    await dataSource.query('DEALLOCATE ALL');
    await writeTwice();
    expect(await texts()).toEqual(['a', 'a', 'b', 'b']);
  });

  it('does not run outside when it could not begin', async () => {
    const parse = jest.spyOn(pg.Connection.prototype, 'bind').mockImplementationOnce(function (
      this: pg.Connection,
      _,
      more,
    ) {
      this.parse({ name: '', text: 'not SQL', types: [] }, more);
    });
    const transaction = dataSource.transaction(async (manager) => {
      const both = [texts(manager), manager.query(`INSERT INTO notes VALUES ('a')`)];
      const outcomes = await Promise.allSettled(both);
      expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
      await write(manager, 'b');
    });
    await expect(transaction).rejects.toMatchObject({
      query: 'START TRANSACTION',
      driverError: { code: '42601' },
    });
    expect(parse).toHaveBeenCalled();
    parse.mockRestore();
    expect(await texts()).toEqual([]);
  });

  it('ends with the connection', async () => {
    const transaction = dataSource.transaction(async (manager) => {
      await write(manager, 'a');
      await expect(manager.query('SELECT pg_terminate_backend(pg_backend_pid())')).rejects.toThrow();
      await write(manager, 'b');
    });
    await expect(transaction).rejects.toThrow();
    expect(await texts()).toEqual([]);
  });
});

describe('statements at the same time', () => {
  it('are all undone when one of them fails, and leave no connection behind', async () => {
    for (let i = 0; i < 2 * POOL; i++) {
      const transaction = dataSource.transaction((manager) =>
        Promise.all([
          manager.query(`INSERT INTO notes VALUES ('a')`),
          Promise.reject(new Error('not valid')),
        ]),
      );
      await expect(transaction).rejects.toThrow('not valid');
    }
    expect(await texts()).toEqual([]);
    expect(await inTransaction()).toBe(0);
  });

  it('are part of the transaction although nobody awaits them', async () => {
    const outcomes: Promise<unknown>[] = [];
    for (const end of ['commit', 'roll back']) {
      const transaction = dataSource.transaction((manager) => {
        outcomes.push(manager.query(`INSERT INTO notes VALUES ($1)`, [end]));
        return end === 'commit' ? Promise.resolve() : Promise.reject(new Error('undone'));
      });
      await transaction.catch(() => undefined);
    }
    await Promise.all(outcomes);
    expect(await texts()).toEqual(['commit']);
  });

  it.each([true, false])('run in the order of their calls, as the first ones: %s', async (areFirst) => {
    const transaction = dataSource.transaction(async (manager) => {
      if (!areFirst) await manager.query('SELECT 1');
      const count = { ...statement('SELECT count(*)::int FROM notes'), values: [] };
      const all = [
        manager.query(`INSERT INTO notes VALUES ('1')`),
        runnerOf(manager).run(count),
        write(manager, '2'),
        manager.query('SELECT count(*)::int AS n FROM notes'),
      ] as const;
      const [, one, , two] = await Promise.all(all);
      return [one.rows, two as unknown];
    });
    expect(await transaction).toEqual([[['1']], [{ n: 2 }]]);
  });
});

describe('a transaction with writes that are sent later', () => {
  it('does not go on outside when a nested one could not begin', async () => {
    const transaction = dataSource.transaction(async (manager) => {
      await write(manager, 'bad');
      for (let i = 0; i < 2; i++) {
        const nested = manager.transaction((inner) => inner.query(`INSERT INTO notes VALUES ('nested')`));
        await expect(nested).rejects.toMatchObject({ driverError: { code: '23514' } });
      }
      await manager.query(`INSERT INTO notes VALUES ('after')`);
    });
    await expect(transaction).rejects.toMatchObject({ driverError: { code: '23514' } });
    expect(await texts()).toEqual([]);
    expect(await inTransaction()).toBe(0);
  });

  it('is not taken for a server that does not respond when they are slow', async () => {
    const slow = statement('INSERT INTO notes SELECT pg_sleep(0.9)::text');
    await dataSource.transaction(async (manager) => {
      await execute(manager, slow, []);
      await execute(manager, slow, []);
    });
    expect(await texts()).toHaveLength(2);
  });

  it('sends some of many before the end', async () => {
    await dataSource.transaction(async (manager) => {
      for (let i = 0; i < 100; i++) await write(manager, String(i));
      expect(packets.mock.calls.length).toBeGreaterThan(1);
    });
    expect(await texts()).toHaveLength(100);
  });
});

describe('a query runner', () => {
  let runner: QueryRunner;
  beforeEach(() => {
    runner = dataSource.createQueryRunner();
  });
  afterEach(() => runner.release());

  it('begins at once where its connection is in other hands', async () => {
    const client = (await runner.connect()) as pg.Client;
    await runner.startTransaction();
    await client.query(`INSERT INTO notes VALUES ('by hand')`);
    await write(runner.manager, 'a');
    expect((await client.query('SELECT FROM notes')).rowCount).toBe(2);
    await runner.rollbackTransaction();
    expect(await texts()).toEqual([]);
  });

  it('has begun when its connection gets into other hands', async () => {
    await runner.startTransaction();
    await write(runner.manager, 'a');
    const client = (await runner.connect()) as pg.Client;
    expect((await client.query('SELECT FROM notes')).rowCount).toBe(1);
    await runner.rollbackTransaction();
    expect(await texts()).toEqual([]);
  });

  it('runs one transaction after another', async () => {
    for (const text of ['a', 'bad', 'b']) {
      await runner.startTransaction();
      await write(runner.manager, text);
      await runner.commitTransaction().catch(() => runner.rollbackTransaction());
    }
    expect(await texts()).toEqual(['a', 'b']);
  });

  it.each([
    ['ROLLBACK AND CHAIN', []],
    ['ROLLBACK; BEGIN', []],
    ['ABORT', ['after']],
    ['-- by hand\nROLLBACK', ['after']],
    ['rollback work', ['after']],
    ['commit;', ['after', 'before']],
    ['SELECT 1', []],
    ['START TRANSACTION', []],
    ['DEALLOCATE ALL', []],
  ])('is where PostgreSQL is after %j', async (sql, expected) => {
    await runner.startTransaction();
    await write(runner.manager, 'before');
    await runner.query(sql);
    await write(runner.manager, 'after');
    await runner.rollbackTransaction();
    expect(await texts()).toEqual(expected);
    expect(await inTransaction()).toBe(0);
  });

  it.each(['ROLLBACK AND CHAIN', 'ROLLBACK; BEGIN', 'ROLLBACK TO SAVEPOINT unknown'])(
    'stays in its transaction after %j at the begin',
    async (sql) => {
      await runner.startTransaction();
      await runner.query(sql).catch(() => undefined);
      await runner.query(`INSERT INTO notes VALUES ('a')`).catch(() => undefined);
      await runner.rollbackTransaction();
      expect(await texts()).toEqual([]);
    },
  );

  it.each(['ABORT', '-- by hand\nROLLBACK'])(
    'is not given back in a transaction that failed before %j',
    async (sql) => {
      await runner.startTransaction();
      await write(runner.manager, 'bad');
      await runner.query(sql).catch(() => undefined);
      await runner.release();
      expect(await inTransaction()).toBe(0);
    },
  );

  it('loses nothing when a transaction begins again', async () => {
    await runner.startTransaction();
    await write(runner.manager, 'a');
    await runner.query('START TRANSACTION');
    await write(runner.manager, 'b');
    await runner.commitTransaction();
    expect(await texts()).toEqual(['a', 'b']);
  });

  it('writes after the commit what comes while that is on its way', async () => {
    await runner.startTransaction();
    await write(runner.manager, 'a');
    const later = Promise.resolve().then(() => write(runner.manager, 'b'));
    await Promise.all([runner.commitTransaction(), later]);
    expect(await texts()).toEqual(['a', 'b']);
  });

  it('takes no connection once it is released', async () => {
    for (let i = 0; i < 2 * POOL; i++) {
      const one = dataSource.createQueryRunner() as PipeliningQueryRunner;
      await one.startTransaction();
      await one.release();
      await expect(write(one.manager, 'a')).rejects.toThrow(/released/);
      await expect(one.run({ ...statement('SELECT 1'), values: [] })).rejects.toThrow(/released/);
    }
    expect(await texts()).toEqual([]);
  });

  it('is of no use once it is released', async () => {
    await runner.startTransaction();
    await write(runner.manager, 'a');
    await runner.release();
    await expect(runner.commitTransaction()).rejects.toThrow(/released/);
    expect(await texts()).toEqual([]);
  });
});

describe('each statement is sent by itself', () => {
  const statements = () => packets.mock.calls.map(([sql]) => sql as unknown);

  it('where a subscriber looks at all', async () => {
    const seen: string[] = [];
    dataSource.subscribers.push({ beforeQuery: ({ query }) => void seen.push(query) });
    await dataSource.transaction((manager) => write(manager, 'a'));
    expect(seen).toEqual(['START TRANSACTION', INSERT.text, 'COMMIT']);
    expect(statements()).toEqual(seen);
  });

  it('where they are logged', async () => {
    dataSource.setOptions({ logging: true });
    const log = jest.spyOn(dataSource.logger, 'logQuery').mockReturnValue(undefined);
    await dataSource.transaction((manager) => write(manager, 'a'));
    expect(log.mock.calls.map(([sql]) => sql)).toEqual(['START TRANSACTION', INSERT.text, 'COMMIT']);
    expect(statements()).toHaveLength(3);
  });
});

/** Connections that were given back in a transaction. */
async function inTransaction(): Promise<number> {
  const [row] = await dataSource.query<{ n: number }[]>(
    `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in%'`,
  );
  return row?.n ?? NaN;
}
