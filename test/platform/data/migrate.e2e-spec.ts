import { readdirSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { MIGRATIONS } from '../../support/migrations.js';
import { Config } from '../../../src/platform/kernel/config/config.js';
import { DatabaseConfig } from '../../../src/platform/data/database/database.config.js';
import { revertLast } from '../../../src/platform/data/database/migrations/migrate.js';
import { openDatabase } from '../../../src/platform/data/database/open-database.js';
import { petstore, petstoreOnTerminal, refusedStart } from '../../support/command-line.js';
import { Petstore } from '../../support/petstore.js';
import { emptyFolder, MIGRATED_DATA } from '../../support/program.js';
import { eventually } from '../../support/eventually.js';
import { appliedMigrations } from '../../support/schema.js';
import { createTestDatabase, type TestDatabase, withClient } from '../../support/test-database.js';

const NAMES = MIGRATIONS.map(({ name }) => name);

let folder: Awaited<ReturnType<typeof emptyFolder>>;
let database: TestDatabase;

beforeEach(async () => {
  [folder, database] = await Promise.all([emptyFolder(), createTestDatabase('template1')]);
});
afterEach(() => Promise.all([folder.remove(), database.drop()]));

const migrate = (...args: string[]) => petstore(['migrate', ...args], { DATABASE_URL: database.url });

describe('petstore migrate', () => {
  it('brings an empty database up to date, and finds nothing to do the second time', async () => {
    const first = await migrate('--json');
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(first.stdout)).toEqual({ applied: NAMES });
    expect(await appliedMigrations(database.url)).toEqual(NAMES);
    expect(await migrate()).toEqual({
      code: 0,
      stderr: '',
      stdout: 'Nothing to do: the tables are up to date.\n',
    });
  });

  it('lists with --status what is pending, changes nothing, and exits 1 until everything is applied', async () => {
    const before = await migrate('--status', '--json');
    expect(before).toMatchObject({ code: 1, stderr: `petstore: ${NAMES.length} migrations are pending.\n` });
    expect(JSON.parse(before.stdout)).toEqual({ applied: [], pending: NAMES, newer: [] });
    expect(await migrate('--status')).toMatchObject({ code: 1 });

    await migrate();
    const after = await migrate('--status');
    expect(after).toMatchObject({ code: 0, stderr: '' });
    expect(after.stdout).toBe(NAMES.map((name) => `applied  ${name}\n`).join(''));
  });

  it('reverts with --revert only the newest one', async () => {
    expect(await migrate('--revert', '--yes')).toMatchObject({
      code: 0,
      stdout: 'Nothing to do: no migration has been applied.\n',
    });
    await migrate();
    const last = NAMES.at(-1) ?? '';
    expect(await migrate('--revert', '--yes')).toMatchObject({ code: 0, stdout: `Reverted: ${last}\n` });
    expect(await appliedMigrations(database.url)).toEqual(NAMES.slice(0, -1));
    expect(JSON.parse((await migrate('--revert', '--yes', '--json')).stdout)).toEqual({
      reverted: NAMES.at(-2),
    });
  });

  it('refuses --revert together with --status, which changes nothing', async () => {
    await migrate();
    expect(await migrate('--status', '--revert')).toMatchObject({ code: 2, stdout: '' });
    expect(await appliedMigrations(database.url)).toEqual(NAMES);
  });

  it.each(['--yes', '--force'])('refuses %s without --revert, and applies nothing', async (option) => {
    for (const args of [[option], [option, '--status']])
      expect(await migrate(...args)).toMatchObject({
        code: 2,
        stderr: 'petstore: --yes and --force are for --revert only.\n',
      });
    expect(await migrate('--status')).toMatchObject({ code: 1 });
  });

  it('reverts no other migration than the one that was asked about', async () => {
    await migrate();
    await expect(revertLast(database.url, MIGRATIONS, NAMES.at(-2))).rejects.toThrow(
      `${NAMES.at(-2)} is no longer the newest migration: another process has reverted or applied one.`,
    );
    const both = await Promise.allSettled(
      [1, 2].map(() => revertLast(database.url, MIGRATIONS, NAMES.at(-1))),
    );
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await appliedMigrations(database.url)).toEqual(NAMES.slice(0, -1));
  });

  it('does not revert without --yes where nobody can be asked', async () => {
    await migrate();
    expect(await migrate('--revert')).toEqual({
      code: 2,
      stdout: '',
      stderr: 'petstore: --revert loses the data of the newest tables: it needs --yes.\n',
    });
    expect(await appliedMigrations(database.url)).toEqual(NAMES);
  });

  it('asks on a terminal before it reverts', async () => {
    await migrate();
    const last = NAMES.at(-1) ?? '';
    const { code, stderr } = await petstoreOnTerminal('n\r', ['migrate', '--revert'], {
      DATABASE_URL: database.url,
    });
    expect(stderr).toContain(`Revert ${last} and lose the data of its tables? [y/N]`);
    expect(stderr).toMatch(/petstore: stopped, nothing was changed\.\s*$/);
    expect(code).toBe(1);
    expect(await appliedMigrations(database.url)).toEqual(NAMES);
  });

  it('refuses to revert what a newer version has applied', async () => {
    await migrate();
    await withClient(database.url, (client) =>
      client.query(`INSERT INTO migrations (timestamp, name) VALUES (1, 'Newer1')`),
    );
    expect(await migrate('--revert', '--yes')).toMatchObject({
      code: 1,
      stderr: 'petstore: Newer1 is unknown here: a newer version has applied it.\n',
    });
  });

  it('prints one line if PostgreSQL fails in the middle of a migration, which the next one repeats', async () => {
    await migrate();
    await migrate('--revert', '--yes');
    const ended = await withClient(database.url, async (client) => {
      await client.query('BEGIN');
      await client.query('LOCK TABLE migrations IN SHARE MODE'); // the migration waits for it at its end
      const migrating = migrate();
      const terminate = `SELECT pg_terminate_backend(pid) FROM pg_locks
        WHERE relation = 'migrations'::regclass AND NOT granted`;
      // Not in the open transaction: a migration that builds an index concurrently would wait for the end of one with a snapshot.
      await withClient(database.url, (other) =>
        eventually(async () => (await other.query(terminate)).rowCount === 1),
      );
      return migrating;
    });
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(
      /^petstore: PostgreSQL failed in the middle of a migration: .+ run it again .+\n$/,
    );
    expect(await appliedMigrations(database.url)).toEqual(NAMES.slice(0, -1));
    expect(await migrate()).toMatchObject({ code: 0, stdout: `Applied: ${NAMES.at(-1)}\n` });
  });
});

describe('other commands', () => {
  const list = () => petstore(['keys', 'list'], { DATABASE_URL: database.url });

  it.each([
    ['keys', 'create', '--plan', 'free', '--name', 'a'],
    ['keys', 'list'],
    ['webhooks', 'list'],
  ])('create no tables in a database that has none, which may be the wrong one: %s %s', async (...args) => {
    expect(await petstore(args, { DATABASE_URL: database.url })).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^petstore: The database has no tables of the service\..+ petstore migrate\n$/,
      ) as unknown,
    });
    const tables = 'SELECT FROM pg_tables WHERE schemaname = current_schema';
    expect((await withClient(database.url, (client) => client.query(tables))).rowCount).toBe(0);
  });

  it('do not migrate the database of an older version, which may be running', async () => {
    await migrate();
    const last = NAMES.at(-1);
    await withClient(database.url, (client) =>
      client.query('DELETE FROM migrations WHERE name = $1', [last]),
    );
    const { code, stdout, stderr } = await list();
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(new RegExp(`^petstore: The database lacks ${last}\\. .+ petstore migrate\n$`));
    expect(await appliedMigrations(database.url)).toEqual(NAMES.slice(0, -1));
  });
});

describe('MIGRATE_AT_START=false', () => {
  const env = () => ({ PORT: '0', DATABASE_URL: database.url, MIGRATE_AT_START: 'false' });

  it('refuses to start while migrations are pending, in a line that says what to do', async () => {
    const { code, stderr } = await refusedStart(env());
    expect(stderr).toMatch(/^petstore: The database has no tables .+MIGRATE_AT_START.+petstore migrate\n$/);
    expect(code).toBe(1);
    expect(JSON.parse((await migrate('--status', '--json')).stdout)).toMatchObject({ applied: [] });
  });

  it('starts once petstore migrate has run', async () => {
    await migrate();
    const config = new Config(env()).read(DatabaseConfig);
    expect(await openDatabase(config, MIGRATIONS, () => undefined)).toEqual({
      url: database.url,
      embedded: false,
    });
  });
});

describe('petstore migrate --revert beside a service', () => {
  it('reverts only with --force', async () => {
    const service = await Petstore.start();
    const revert = (...args: string[]) =>
      petstore(['migrate', '--revert', '--yes', ...args], { DATABASE_URL: service.databaseUrl });
    const refused = await revert();
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(
      /^petstore: The service is connected \(\d connections\)\. .+ --force\.\n$/,
    );
    expect(await appliedMigrations(service.databaseUrl)).toEqual(NAMES);
    expect(await revert('--force')).toMatchObject({ code: 0 });
    expect(await appliedMigrations(service.databaseUrl)).toEqual(NAMES.slice(0, -1));
    await service.stop();
  });
});

describe('petstore migrate without DATABASE_URL', () => {
  const embedded = (...args: string[]) =>
    petstore(['migrate', ...args], { PETSTORE_DATA_DIR: join(folder.path, '.petstore') });

  it('shows, reverts and applies the migrations of the embedded database', async () => {
    await cp(MIGRATED_DATA, join(folder.path, '.petstore'), { recursive: true });
    expect(await embedded('--status', '--json')).toMatchObject({ code: 0, stderr: '' });
    expect(await embedded('--revert', '--yes')).toMatchObject({ code: 0 });
    expect(await embedded('--status')).toMatchObject({
      code: 1,
      stderr: 'petstore: 1 migration is pending.\n',
    });
    expect(await embedded()).toMatchObject({ code: 0, stdout: `Applied: ${NAMES.at(-1)}\n` });
    expect(await embedded()).toMatchObject({ stdout: 'Nothing to do: the tables are up to date.\n' });
  });

  it.each([[], ['--status'], ['--revert', '--yes']])(
    'makes no database where none is: %s %s',
    async (...args) => {
      expect(await embedded(...args)).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(
          /does not exist\. Start the service first, or set DATABASE_URL\.\n$/,
        ) as unknown,
      });
      expect(readdirSync(folder.path)).toEqual([]);
    },
  );
});
