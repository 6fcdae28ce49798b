import { jest } from '@jest/globals';
import pg from 'pg';
import { DataSource, type EntityManager, type QueryRunner } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../../../test/support/test-database.js';
import { connectionOptions } from '../pool/connection-options.js';
import { enableFastPath, execute } from './fast-path.js';
import { PipeliningQueryRunner } from './pipelining-query-runner.js';
import { statement } from './statement.js';

const INSERT = statement('INSERT INTO notes (text) VALUES ($1)');

let database: TestDatabase;
let dataSource: DataSource;
let packets: jest.SpiedFunction<typeof pg.Client.prototype.query>;

beforeAll(async () => {
  database = await createTestDatabase('template1');
  dataSource = new DataSource(connectionOptions(database.url));
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
