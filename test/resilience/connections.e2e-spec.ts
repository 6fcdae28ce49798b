import { DataSource } from 'typeorm';
import { MIGRATIONS } from '../support/migrations.js';
import { poolOptions } from '../../src/platform/data/database/database.module.js';
import { minutes } from '../../src/platform/kernel/clock/duration.js';
import { inspectMigrations } from '../../src/platform/data/database/migrations/migrate.js';
import { poolOf } from '../../src/platform/data/database/pool/service-pool.js';
import { createTestDatabase, type TestDatabase, withClient } from '../support/test-database.js';

describe('A database', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  const execute = (sql: string) => withClient(database.url, (client) => client.query(sql));

  it('that refuses further connections lets requests wait for those that are open', async () => {
    const role = new URL(database.url).pathname.slice(1).replace('test_', 'few_');
    await execute(`CREATE ROLE ${role} LOGIN CONNECTION LIMIT 3 PASSWORD 'few'`);
    const url = Object.assign(new URL(database.url), { username: role, password: 'few' }).href;
    const few = await new DataSource(poolOptions(url)).initialize();
    poolOf(few).options.connectionTimeoutMillis = minutes(2); // the machine may be busy
    try {
      const queries = Array.from({ length: 200 }, () => few.query<unknown[]>('SELECT pg_sleep(0.01)'));
      expect((await Promise.all(queries)).flat()).toHaveLength(200);
    } finally {
      await few.destroy();
      await execute(`DROP ROLE ${role}`);
    }
  });

  it('that refuses all connections fails them at once', async () => {
    const role = new URL(database.url).pathname.slice(1).replace('test_', 'none_');
    await execute(`CREATE ROLE ${role} LOGIN CONNECTION LIMIT 0 PASSWORD 'none'`);
    const url = Object.assign(new URL(database.url), { username: role, password: 'none' }).href;
    await expect(new DataSource(poolOptions(url)).initialize()).rejects.toMatchObject({ code: '53300' });
    await execute(`DROP ROLE ${role}`);
  });

  it.each(['SQL_ASCII', 'LATIN1'])(
    'in %s is refused, with the command that creates a right one',
    async (encoding) => {
      const name = `${new URL(database.url).pathname.slice(1)}_${encoding.toLowerCase()}`;
      await execute(
        `CREATE DATABASE ${name} ENCODING '${encoding}' LOCALE_PROVIDER libc LOCALE 'C' TEMPLATE template0`,
      );
      const url = Object.assign(new URL(database.url), { pathname: `/${name}` }).href;
      await expect(inspectMigrations(url, MIGRATIONS)).rejects.toThrow(
        `DATABASE_URL: the encoding of the database is ${encoding}, not UTF8. Create one with: CREATE DATABASE`,
      );
      await execute(`DROP DATABASE ${name}`);
    },
  );
});
