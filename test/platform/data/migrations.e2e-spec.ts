import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { jest } from '@jest/globals';
import pg from 'pg';
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { MIGRATIONS } from '../../support/migrations.js';
import { seconds } from '../../../src/platform/kernel/clock/duration.js';
import {
  inspectMigrations,
  migrate,
  revertLast,
} from '../../../src/platform/data/database/migrations/migrate.js';
import { connectionOptions } from '../../../src/platform/data/database/pool/connection-options.js';
import { eventually } from '../../support/eventually.js';
import { Petstore } from '../../support/petstore.js';
import { COMMAND_LINE, run } from '../../support/program.js';
import { appliedMigrations, describeSchema, type SchemaItem } from '../../support/schema.js';
import { createTestDatabase, type TestDatabase, withClient } from '../../support/test-database.js';

const NAMES = MIGRATIONS.map(({ name }) => name);

/** These change only rows, not tables, or nothing any more. */
const CHANGING_NO_TABLES = [
  'FoldCategoryNames1795629600000',
  'JobPerWebhook1795802400000',
  'IndexDeliveriesByState1796200000000',
];

describe('the migrations', () => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await createTestDatabase('template1');
  });

  afterEach(() => database.drop());

  it('each run once if several processes start on an empty database at the same time', async () => {
    await Promise.all([1, 2, 3].map(() => migrate(database.url, MIGRATIONS, undefined, () => undefined)));
    expect(await appliedMigrations(database.url)).toEqual(NAMES);
  });

  it('wait for one that builds an index concurrently without stopping it, and say every 10 s for whom', async () => {
    await migrate(database.url, MIGRATIONS);
    const said: string[] = [];
    let now = performance.now.bind(performance);
    const real = now;
    const later = jest.spyOn(performance, 'now').mockImplementation(() => now());
    class BuildIndex9999999999999 implements MigrationInterface {
      readonly transaction = false;
      async up(runner: QueryRunner): Promise<void> {
        await eventually(() => said.length === 1);
        now = () => real() + seconds(10);
        await eventually(() => said.length === 2);
        await runner.query('CREATE INDEX CONCURRENTLY a_new_index ON pets (name)');
      }
      down = () => Promise.resolve();
    }
    const known = [...MIGRATIONS, BuildIndex9999999999999];
    try {
      const say = (line: string) => said.push(line);
      const ran = await Promise.all([1, 2].map(() => migrate(database.url, known, undefined, say)));
      expect(ran.flat()).toEqual([BuildIndex9999999999999.name]);
      expect(said[0]).toMatch(
        /^Waiting for the migrations of another process: PostgreSQL's backend \d+ of 127\.0\.0\.1, connected for \d+ s\.$/,
      );
    } finally {
      later.mockRestore();
    }
  });

  /** Limits of the role; of the database here, which a test may change alone. */
  const limit = (...settings: string[]) =>
    withClient(database.url, async (client) => {
      const { rows } = await client.query<{ name: string }>('SELECT current_database() AS name');
      for (const setting of settings)
        await client.query(`ALTER DATABASE ${rows[0]?.name} SET ${setting}`).catch((error: unknown) => {
          if (!setting.startsWith('transaction_timeout')) throw error; // PostgreSQL 17
        });
    });

  it('obey no time limit of their role or database, neither in a statement nor while they idle', async () => {
    await migrate(database.url, MIGRATIONS);
    await limit(
      'statement_timeout = 300',
      'idle_session_timeout = 300',
      'idle_in_transaction_session_timeout = 300',
      'transaction_timeout = 300',
    );
    class Slow9999999999998 implements MigrationInterface {
      async up(runner: QueryRunner): Promise<void> {
        await runner.query('SELECT pg_sleep(0.5)');
        await delay(500); // idle in its transaction, and the session with the lock idles for a second
        await runner.query('CREATE TABLE slow (id integer)');
      }
      down = () => Promise.resolve();
    }
    class SlowIndex9999999999999 implements MigrationInterface {
      readonly transaction = false;
      async up(runner: QueryRunner): Promise<void> {
        await runner.query('SELECT pg_sleep(0.5)');
        await runner.query('CREATE INDEX CONCURRENTLY slow_index ON pets (name)');
      }
      down = () => Promise.resolve();
    }
    const known = [...MIGRATIONS, Slow9999999999998, SlowIndex9999999999999];
    expect(await migrate(database.url, known)).toEqual([Slow9999999999998.name, SlowIndex9999999999999.name]);
  });

  it('wait for a lock only shortly at a time, so that others get theirs, and say what they wait for', async () => {
    await migrate(database.url, MIGRATIONS);
    class AlterPets9999999999999 implements MigrationInterface {
      async up(runner: QueryRunner): Promise<void> {
        await runner.query('ALTER TABLE pets ADD COLUMN a integer');
      }
      down = () => Promise.resolve();
    }
    const said: string[] = [];
    const reader = new pg.Client({ connectionString: database.url });
    await reader.connect();
    await reader.query('BEGIN');
    await reader.query('SELECT FROM pets');
    const migrated = migrate(database.url, [...MIGRATIONS, AlterPets9999999999999], undefined, (line) =>
      said.push(line),
    );
    await eventually(() => said.length > 0);
    await withClient(database.url, (client) => client.query('SELECT FROM pets')); // waits for one attempt at most
    expect(said[0]).toMatch(
      /^A migration waits for a lock .+: the oldest transaction is that of backend \d+, \d+ s old\.$/,
    );
    await reader.end();
    expect(await migrated).toEqual([AlterPets9999999999999.name]);
  });

  it('change nothing in a database that is up to date', async () => {
    await migrate(database.url, MIGRATIONS);
    const before = await describeSchema(database.url);
    await migrate(database.url, MIGRATIONS);
    expect(await describeSchema(database.url)).toEqual(before);
    expect(await appliedMigrations(database.url)).toEqual(NAMES);
  });

  it('can be reverted one after the other, down to nothing, and applied again', async () => {
    const empty = await describeSchema(database.url);
    await migrate(database.url, MIGRATIONS);
    const full = await describeSchema(database.url);

    const states = [full];
    while (states.length <= NAMES.length) {
      await revertLast(database.url, MIGRATIONS);
      states.push(await describeSchema(database.url));
    }
    expect(await appliedMigrations(database.url)).toEqual([]);
    expect(states.at(-1)).toEqual(empty);
    expect(new Set(states.map((state) => JSON.stringify(state))).size).toBe(
      NAMES.length + 1 - CHANGING_NO_TABLES.length,
    );

    await migrate(database.url, MIGRATIONS);
    expect(await describeSchema(database.url)).toEqual(full);
  });
});

describe('a database of 1.3', () => {
  /** What 2.0 adds, and what 1.3 made itself. */
  const ADDED = [
    'IndexDeliveriesByState1796200000000',
    'FreePlans1796200000001',
    'DropUnusedTables1796300000000',
  ];
  const OLD_INDEX =
    'CREATE INDEX webhook_deliveries_webhook_id_state_id_idx ON webhook_deliveries (webhook_id, state, id)';
  let database: TestDatabase;
  let fresh: TestDatabase;

  beforeEach(async () => {
    [database, fresh] = await Promise.all([createTestDatabase('template1'), createTestDatabase()]);
    await migrate(
      database.url,
      MIGRATIONS.filter(({ name }) => !ADDED.includes(name)),
    );
    await sql(OLD_INDEX);
  });
  afterEach(() => Promise.all([database.drop(), fresh.drop()]));
  const sql = (text: string) => withClient(database.url, (client) => client.query(text));
  const addKey = (plan: string, limits = 'NULL, NULL') =>
    sql(`INSERT INTO api_keys (name, plan, per_minute, per_day, hash, prefix, last_four)
         VALUES ('x', '${plan}', ${limits}, sha256(random()::text::bytea), 'petstore_abcd', 'x')`);

  it('upgraded has the schema of a fresh one, and back that of before, with its keys', async () => {
    await addKey('free');
    await addKey('enterprise', '5, 6');
    const before = await describeSchema(database.url);
    expect(await migrate(database.url, MIGRATIONS)).toEqual(ADDED);
    expect(await describeSchema(database.url)).toEqual(await describeSchema(fresh.url));
    for (const name of ADDED.toReversed()) expect(await revertLast(database.url, MIGRATIONS)).toBe(name);
    expect(await describeSchema(database.url)).toEqual(before);
    expect((await sql('SELECT plan FROM api_keys ORDER BY id')).rows).toEqual([
      { plan: 'free' },
      { plan: 'enterprise' },
    ]);
    await expect(addKey('gold')).rejects.toThrow('api_keys_plan_known');
  });

  it('takes any plan after the upgrade, with limits in pairs only', async () => {
    await migrate(database.url, MIGRATIONS);
    await addKey('gold');
    await addKey('silver', '1, 2');
    await expect(addKey('gold', '1, NULL')).rejects.toThrow('api_keys_limits_in_pairs');
  });

  it('does not go back with a key whose plan 1.3 does not have, and names it', async () => {
    await migrate(database.url, MIGRATIONS);
    await addKey('gold');
    await revertLast(database.url, MIGRATIONS);
    await expect(revertLast(database.url, MIGRATIONS)).rejects.toThrow(
      'Keys have plans that the older version does not have: 1 (gold). Give them other plans first.',
    );
    expect(await appliedMigrations(database.url)).toContain('FreePlans1796200000001');
  });

  it('has the index of deliveries again if its build was interrupted', async () => {
    await sql('DROP INDEX webhook_deliveries_webhook_id_state_id_idx');
    await migrate(database.url, MIGRATIONS);
    expect(await describeSchema(database.url)).toEqual(await describeSchema(fresh.url));
  });
});

describe('a database of a version before 1.3', () => {
  /** The last migrations of 1.3: that of the platform and that of the pets. */
  const LAST = ['BoundKeyHistory1795950000001', 'FoldCategoryNamesAsPets1796100000000'];
  let database: TestDatabase;
  const sql = (text: string) => withClient(database.url, (client) => client.query(text));
  const addKey = (prefix = 'petstore_abcd') =>
    sql(
      `INSERT INTO api_keys (name, plan, hash, prefix, last_four)
       VALUES ('x', 'free', sha256(random()::text::bytea), '${prefix}', 'x')`,
    );
  const before = (name: string) => MIGRATIONS.slice(0, NAMES.indexOf(name));
  const refused =
    'The database is of a version before 1.3, which this version does not upgrade. Start 1.3 with it once.';

  beforeEach(async () => {
    database = await createTestDatabase('template1');
  });
  afterEach(() => database.drop());

  it.each(LAST)('is refused without a change if it is in use, for %s', async (last) => {
    await migrate(database.url, before(last));
    await addKey();
    const schema = await describeSchema(database.url);
    await expect(migrate(database.url, MIGRATIONS)).rejects.toThrow(refused);
    expect(await describeSchema(database.url)).toEqual(schema);
    const { code, stdout } = await run(COMMAND_LINE, ['doctor'], {
      cwd: process.cwd(),
      env: { DATABASE_URL: database.url },
    });
    expect(code).toBe(1);
    expect(stdout.replaceAll(/\s*→?\s+/g, ' ')).toContain(refused);
  });

  it.each([...LAST, 'CreateApiKeys1764547200002', 'CreateApiKeyUsage1764547200004'])(
    'is migrated without keys, because a first start may have been interrupted before %s',
    async (name) => {
      await migrate(database.url, before(name));
      await migrate(database.url, MIGRATIONS);
      expect(await appliedMigrations(database.url)).toEqual(NAMES);
    },
  );

  it('is not what a table of that name means which another program has made', async () => {
    await sql('CREATE TABLE api_keys (id int); INSERT INTO api_keys VALUES (1)');
    await expect(migrate(database.url, MIGRATIONS)).rejects.toThrow('Give the service a database of its own');
  });

  it.each(['book_club', 'petstore_two', 'pet'])(
    'is not what one of another service on the platform is called, whose keys begin with %s_',
    async (prefix) => {
      await migrate(database.url, before(LAST[1] ?? ''));
      await addKey(`${prefix}_abcd`);
      const schema = await describeSchema(database.url);
      const ofAnother = `the database is of another service: its keys begin with ${prefix}_, not petstore_.`;
      const refuseIt = async (
        known: typeof MIGRATIONS,
        ...ways: ((url: string, all: typeof MIGRATIONS) => unknown)[]
      ) => {
        for (const way of ways) await expect(way(database.url, known)).rejects.toThrow(ofAnother);
      };
      await refuseIt(MIGRATIONS, migrate, inspectMigrations, revertLast);
      await refuseIt(before(LAST[1] ?? ''), inspectMigrations, revertLast); // of which none is pending
      await sql(`INSERT INTO migrations (timestamp, name) VALUES (1, '${LAST[1]}')`);
      await refuseIt(MIGRATIONS, migrate); // of which others are
      await sql(`DELETE FROM migrations WHERE name = '${LAST[1]}'`);
      expect(await describeSchema(database.url)).toEqual(schema);
      await addKey();
      await expect(migrate(database.url, MIGRATIONS)).rejects.toThrow(refused);
    },
  );

  it('does not come of --revert: that is left to 1.3', async () => {
    const ofThisVersion = NAMES.slice(NAMES.indexOf(LAST[1] ?? '') + 1);
    await migrate(database.url, MIGRATIONS);
    await addKey();
    for (const name of ofThisVersion.toReversed())
      expect(await revertLast(database.url, MIGRATIONS)).toBe(name);
    await expect(revertLast(database.url, MIGRATIONS)).rejects.toThrow(
      'FoldCategoryNamesAsPets1796100000000 is of 1.3, from which this version upgrades. Revert it with 1.3.',
    );
    expect(await appliedMigrations(database.url)).toEqual(
      before(ofThisVersion[0] ?? '').map(({ name }) => name),
    );
    await sql('DELETE FROM api_keys');
    expect(await revertLast(database.url, MIGRATIONS)).toBe(LAST[1]);
  });
});

describe('the migrations of category names', () => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await createTestDatabase();
  });

  afterEach(() => database.drop());

  const revertWith = async (migration: string) => {
    while ((await appliedMigrations(database.url)).includes(migration))
      await revertLast(database.url, MIGRATIONS);
  };
  const query = (sql: string, values?: unknown[]) =>
    withClient(
      database.url,
      async (client) => (await client.query<Record<string, unknown>>(sql, values)).rows,
    );
  const add = (names: string[], keys: (string | null)[]) =>
    query('INSERT INTO categories (name, name_key) SELECT * FROM unnest($1::text[], $2::text[])', [
      names,
      keys,
    ]);
  const keys = async () =>
    (await query('SELECT name, name_key FROM categories ORDER BY id')).map((row) => Object.values(row));

  it('keep every category, even if names become equal', async () => {
    await revertWith('FoldCategoryNames1795629600000');
    await add(['Straße', 'STRASSE', 'x²', 'Birds', '日本'], ['straße', 'strasse', 'x2', 'birds', '日本']);
    await migrate(database.url, MIGRATIONS);
    const folded = [
      ['Straße', 'STRASSE'],
      ['STRASSE', 'STRASSE id 2'],
      ['x²', 'X²'],
      ['Birds', 'BIRDS'],
      ['日本', '日本'],
    ];
    expect(await keys()).toEqual(folded);
    await revertWith('FoldCategoryNamesAsPets1796100000000');
    expect(await keys()).toEqual([
      ['Straße', 'strasse'],
      ['STRASSE', 'strasse ID 2'],
      ['x²', 'x²'],
      ['Birds', 'birds'],
      ['日本', '日本'],
    ]);
    await migrate(database.url, MIGRATIONS);
    expect(await keys()).toEqual(folded);
  });

  it('let a version before and one after them write side by side', async () => {
    await add(['Straße'], ['strasse']); // as 1.2 does
    await add(['Birds'], [null]);
    expect(await keys()).toEqual([
      ['Straße', 'STRASSE'],
      ['Birds', 'BIRDS'],
    ]);
    await expect(add(['STRASSE'], [null])).rejects.toThrow('categories_name_key');
    await expect(add(['BIRDS'], ['birds'])).rejects.toThrow('categories_name_key');
    await query("UPDATE categories SET name = 'Vögel', name_key = 'vögel' WHERE name = 'Birds'");
    await expect(add(['VO\u0308GEL'], [null])).rejects.toThrow('categories_name_key');
    await add(['birds'], [null]);
  });

  it('let a category whose name was taken have a key of its own when its name changes', async () => {
    await revertWith('FoldCategoryNames1795629600000');
    await add(['Straße', 'STRASSE'], ['straße', 'strasse']);
    await migrate(database.url, MIGRATIONS);
    await query("UPDATE categories SET name = 'Street' WHERE name = 'STRASSE'");
    await expect(add(['street'], [null])).rejects.toThrow('categories_name_key');
  });
});

describe('the migrated tables', () => {
  let petstore: Petstore;
  let schema: SchemaItem[];

  beforeAll(async () => {
    petstore = await Petstore.start();
    schema = await describeSchema(petstore.databaseUrl);
  });

  afterAll(() => petstore.stop());

  it('match the entities: columns, checks, foreign keys and indexes', async () => {
    // Those of the application are also those that modules of tests have added.
    const entities = [join(import.meta.dirname, '../../../src/**/*.entity.ts')];
    const dataSource = new DataSource({ ...connectionOptions(petstore.databaseUrl), entities });
    await dataSource.initialize();
    const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
    await dataSource.destroy();
    expect(dataSource.entityMetadatas.length).toBeGreaterThan(0);
    // Anything that only a migration creates would be dropped by the next one that `npm run migration` writes.
    expect(upQueries.map(({ query }) => query)).toEqual([]);
  });

  const columns = ({ definition }: SchemaItem) => /\(([^)]+)\)/.exec(definition)?.[1] ?? '';
  const indexes = () => schema.filter(({ kind }) => kind === 'index');

  it.each([
    ['pets', 'status, id'],
    ['pets', 'category_id, id'],
    ['pets', 'category_id, status, id'],
    ['orders', 'status, id'],
    ['orders', 'pet_id, id'],
    ['events', 'type, id'],
    ['webhooks', 'api_key_id, id'],
    ['webhook_deliveries', 'webhook_id, id'],
    ['webhook_deliveries', 'webhook_id, state, id'],
  ])('have an index for each list with filters: %s (%s)', (table, needed) => {
    expect(
      indexes()
        .filter((index) => index.table === table)
        .map(columns),
    ).toContain(needed);
  });

  it('have constraints and indexes whose names start with that of their table', () => {
    const named = schema.filter(({ kind }) => kind === 'constraint' || kind === 'index');
    const advice = named
      .filter(({ table, name }) => !name.startsWith(`${table}_`))
      .map(({ kind, table, name }) => `The ${kind} ${name} of ${table} must be called ${table}_…`);
    expect(named.length).toBeGreaterThan(0);
    expect(advice).toEqual([]);
  });

  it('have an index that starts with the columns of each foreign key', () => {
    const missing = schema
      .filter(({ definition }) => definition.startsWith('FOREIGN KEY'))
      .filter(
        (key) =>
          !indexes().some(
            (index) => index.table === key.table && `${columns(index)},`.startsWith(`${columns(key)},`),
          ),
      );
    const advice = missing.map(
      ({ table, definition }) => `@Index() is missing in ${table} for ${definition}`,
    );
    expect(advice).toEqual([]);
  });
});
