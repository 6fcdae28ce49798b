import { randomUUID } from 'node:crypto';
import type { QueryRunner } from 'typeorm';
import { MIGRATIONS } from '../../support/migrations.js';
import { migrate } from '../../../src/platform/data/database/migrations/migrate.js';
import { petstore, refusedStart } from '../../support/command-line.js';
import type { Ended } from '../../support/program.js';
import { createTestDatabase, type TestDatabase, withClient } from '../../support/test-database.js';

const ROLE = `r_${randomUUID().replaceAll('-', '').slice(0, 12)}`;
const databases: TestDatabase[] = [];
const sql = (url: string, text: string) => withClient(url, (client) => client.query(text));
const as = (role: string, url: string) =>
  Object.assign(new URL(url), { username: role, password: 'x', search: '' }).href;

/** A database, and its URL for a role without rights. */
async function databaseOf(template: 'template1' | 'petstore', setup = ''): Promise<string> {
  const database = await createTestDatabase(template);
  databases.push(database);
  // PostgreSQL 15's default, whatever the template has.
  await sql(database.url, `REVOKE CREATE ON SCHEMA public FROM PUBLIC; ${setup}`);
  return as(ROLE, database.url);
}

beforeAll(async () => {
  const { url } = await createTestDatabase('template1').then((one) => (databases.push(one), one));
  await sql(url, `CREATE ROLE ${ROLE} LOGIN PASSWORD 'x'`);
});
afterAll(async () => {
  const [first, ...others] = databases;
  for (const { url } of databases) await sql(url, `DROP OWNED BY ${ROLE}`);
  for (const other of others) await other.drop();
  if (first) await sql(first.url, `DROP ROLE ${ROLE}`);
  await first?.drop();
});

const env = (url: string) => ({ PORT: '0', DATABASE_URL: url });
/** The one line of a program that has failed. */
function lineOf({ code, stderr }: Ended): string {
  expect(stderr).toMatch(/^petstore: .+\n$/);
  expect(code).toBe(1);
  return stderr;
}

const MIGRATED = 'petstore';
const EMPTY = 'template1';

describe.each<[string, 'template1' | 'petstore', string, string, RegExp]>([
  [
    'may not create tables, as since PostgreSQL 15',
    EMPTY,
    '',
    '',
    new RegExp(
      `may not create tables in the schema public\\. Run: GRANT CREATE ON SCHEMA public TO ${ROLE}$`,
    ),
  ],
  [
    'may use no schema of its search_path',
    EMPTY,
    '',
    '?options=-c%20search_path%3Dnowhere',
    new RegExp(`search_path nowhere has no schema .+ GRANT USAGE, CREATE ON SCHEMA public TO ${ROLE}$`),
  ],
  [
    'finds the table migrations of another program',
    EMPTY,
    `CREATE TABLE migrations (id int, migration text); GRANT ALL ON migrations TO ${ROLE}; GRANT CREATE ON SCHEMA public TO ${ROLE}`,
    '',
    /the table migrations in the schema public belongs to another program\. Give the service a database of its own\.$/,
  ],
  [
    "finds another program's migrations by TypeORM",
    EMPTY,
    `CREATE TABLE migrations (id serial, timestamp bigint, name text); GRANT ALL ON migrations TO ${ROLE};
     INSERT INTO migrations (timestamp, name) VALUES (1, 'Other1'); GRANT CREATE ON SCHEMA public TO ${ROLE}`,
    '',
    /the table migrations in the schema public belongs to another program\./,
  ],
  [
    'may not use the tables',
    MIGRATED,
    '',
    '',
    new RegExp(
      `may not use the table \\w+ and \\d+ more tables\\. Run: GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${ROLE}$`,
    ),
  ],
  [
    'may only read the tables',
    MIGRATED,
    `GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${ROLE}`,
    '',
    /may not use the table \w+ and \d+ more tables\./,
  ],
  [
    'may use, but not change tables of which a newer version needs more',
    MIGRATED,
    `DELETE FROM migrations WHERE id = (SELECT max(id) FROM migrations);
     GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${ROLE}; GRANT CREATE ON SCHEMA public TO ${ROLE}`,
    '',
    new RegExp(
      `the tables belong to the role \\w+, so ${ROLE} may not change them\\. Run petstore migrate as (\\w+), or: GRANT \\1 TO`,
    ),
  ],
])('a role that %s', (_, template, setup, query, line) => {
  it('is told so in one line by the start, by petstore migrate, by its --status and by doctor', async () => {
    const url = (await databaseOf(template, setup)) + query;
    const lines = [
      lineOf(await refusedStart(env(url))),
      lineOf(await petstore(['migrate'], env(url))),
      lineOf(await petstore(['migrate', '--status'], env(url))),
    ];
    for (const said of lines) expect(said.trimEnd()).toMatch(line);
    const { code, stdout } = await petstore(['doctor', '--json'], env(url));
    const failed = (JSON.parse(stdout) as { state: string; finding: string; advice: string }[]).filter(
      ({ state }) => state === 'fail',
    );
    expect(failed.map(({ finding, advice }) => `${finding} ${advice}`)).toEqual([
      expect.stringMatching(line),
    ]);
    expect(code).toBe(1);
  });
});

it('a PostgreSQL without ICU is named in one line', async () => {
  const database = await createTestDatabase('template1');
  databases.push(database);
  await sql(database.url, `DELETE FROM pg_collation WHERE collname = 'und-x-icu'`);
  await expect(migrate(database.url, MIGRATIONS)).rejects.toThrow(
    /^DATABASE_URL: PostgreSQL lacks what a migration needs: collation "und-x-icu" .* does not exist\. The packages and images of PostgreSQL are built with ICU\.$/,
  );
});

it('an extension that a migration forgot is named in one line', async () => {
  class ExcludeOverlaps1999999999999 {
    readonly name = 'ExcludeOverlaps1999999999999';
    up = (runner: QueryRunner) =>
      runner.query('CREATE TABLE without_extension (room json, EXCLUDE USING gist (room WITH =))');
    down = (runner: QueryRunner) => runner.query('DROP TABLE without_extension');
  }
  const database = await createTestDatabase('template1');
  databases.push(database);
  await expect(migrate(database.url, [...MIGRATIONS, ExcludeOverlaps1999999999999])).rejects.toThrow(
    /^DATABASE_URL: PostgreSQL lacks what a migration needs: data type json has no .+ "gist"\. If it belongs to an extension, such as btree_gist, let the migration create that first\.$/,
  );
});

it("another program's table of the same name is named in one line", async () => {
  const url = await databaseOf(EMPTY, `CREATE TABLE pets (); GRANT CREATE ON SCHEMA public TO ${ROLE}`);
  expect(lineOf(await petstore(['migrate'], env(url)))).toMatch(
    /relation "pets" already exists\. Give the service a database of its own/,
  );
});

describe('a role that may use the tables, and no more', () => {
  it('serves', async () => {
    const url = await databaseOf(
      MIGRATED,
      `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${ROLE}`,
    );
    expect(await petstore(['migrate', '--status'], env(url))).toMatchObject({ code: 0, stderr: '' });
    await sql(
      databases.at(-1)?.url ?? '',
      `REVOKE INSERT, UPDATE, DELETE ON migrations FROM ${ROLE};
       CREATE TABLE spatial_ref_sys (); ALTER EXTENSION plpgsql ADD TABLE spatial_ref_sys; -- as PostGIS has one
       DO $$ BEGIN EXECUTE format('ALTER TABLE spatial_ref_sys OWNER TO %s',
         (SELECT relowner::regrole FROM pg_class WHERE relname = 'migrations')); END $$`,
    );
    expect(await petstore(['migrate', '--status'], env(url))).toMatchObject({ code: 0, stderr: '' });
    const created = await petstore(['keys', 'create', '--plan', 'free', '--name', 'x'], env(url));
    expect(created).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('a schema of its own', () => {
  it.each(['schema', 'search_path', 'currentSchema'])(
    'is refused as ?%s=, which PostgreSQL ignores, with the spelling that works',
    async (name) => {
      const url = `postgres://me:hunter2@127.0.0.1:1/pets?${name}=pets`;
      const line = lineOf(await refusedStart(env(url)));
      expect(line).toContain('DATABASE_URL must name a schema as ?options=-c%20search_path%3DNAME');
      expect(line).not.toContain('hunter2');
    },
  );

  it('holds the tables if it is given in that spelling, beside those of another installation', async () => {
    const own = await databaseOf(MIGRATED, `CREATE SCHEMA pets AUTHORIZATION ${ROLE}`);
    const url = `${own}?options=-c%20search_path%3Dpets`;
    expect(await petstore(['migrate'], env(url))).toMatchObject({ code: 0 });
    const created = await petstore(['keys', 'create', '--plan', 'free', '--name', 'x'], env(url));
    expect(created).toMatchObject({ code: 0, stderr: '' });
    const count = async (schema: string) =>
      (await sql(databases.at(-1)?.url ?? '', `SELECT FROM ${schema}.api_keys`)).rowCount;
    expect([await count('pets'), await count('public')]).toEqual([1, 0]);
  });
});
