import { jest } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { AppModule } from '../../../src/app.module.js';
import { checkIcu, Config, type DatabaseCheck, ok } from '../../../src/platform/index.js';
import { checkDatabase } from '../../../src/platform/data/database/checks/check-database.js';
import type { CheckResult } from '../../../src/platform/kernel/config/check-result.js';
import { SecretBox } from '../../../src/platform/feed/webhooks/delivery/secret-box.js';
import { petstore, refusedStart, startWarnings } from '../../support/command-line.js';
import { MIGRATIONS } from '../../support/migrations.js';
import { createTestDatabase, type TestDatabase, withClient } from '../../support/test-database.js';

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase(template);
});
afterEach(() => database.drop());
let template: 'template1' | 'petstore' = 'template1';

const sql = (text: string, values: unknown[] = []) =>
  withClient(database.url, async (client) => (await client.query<object>(text, values)).rows);
const tables = () => sql(`SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace`);

async function withMigratedDatabase(work: (url: string) => Promise<void>): Promise<void> {
  const migrated = await createTestDatabase();
  await work(migrated.url).finally(() => migrated.drop());
}

async function doctorFinds(env: Record<string, string>): Promise<readonly CheckResult[]> {
  const { stdout } = await petstore(['doctor', '--json'], { PORT: '0', DATABASE_URL: database.url, ...env });
  return (JSON.parse(stdout) as CheckResult[]).filter(({ state }) => state !== 'ok');
}

describe('the start', () => {
  it('names all invalid variables at once, those of modules too, before it changes anything', async () => {
    const { code, stderr } = await refusedStart({
      DATABASE_URL: database.url,
      PUBLIC_URL: 'bad',
      WEBHOOK_ALLOWED_NETWORKS: 'zzz',
      WEBHOOK_SECRET_KEYS_FILE: '/nope',
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^petstore: 3 checks failed\.\n {2}PUBLIC_URL .+\n {2}WEBHOOK_ALLOWED_NETWORKS .+\n {2}WEBHOOK_SECRET_KEYS_FILE .+\n$/,
    );
    expect(await tables()).toEqual([]);
  });

  it('changes nothing if only a variable of a module is invalid', async () => {
    const { stderr } = await refusedStart({ DATABASE_URL: database.url, WEBHOOK_SECRET_KEYS_FILE: '/nope' });
    expect(stderr).toMatch(/^petstore: WEBHOOK_SECRET_KEYS_FILE must be a readable file.+\n$/);
    expect(await tables()).toEqual([]);
  });

  it('warns of a variable that nothing reads, and of none that is read', async () => {
    const key = randomBytes(32).toString('base64');
    const settings = { DATABASE_URL: database.url, REDIS_ULR: 'redis://x', WEBHOOK_SECRET_KEYS: key };
    expect(await startWarnings(settings)).toEqual([
      'nothing reads REDIS_ULR. Set REDIS_URL if you mean that.',
    ]);
  });
});

describe('the start and doctor name beforehand', () => {
  const OTHERS = 'Give the service a database of its own.';

  // A module that orders by names declares the check.
  const isIcuChecked = AppModule.features.some(({ checks = [] }) => checks.includes(checkIcu));
  const WITHOUT_ICU = isIcuChecked
    ? [
        [
          'a PostgreSQL without ICU',
          `DELETE FROM pg_collation WHERE collprovider = 'i'`,
          'DATABASE_URL: PostgreSQL lacks what a migration needs: collations of ICU.',
          'The packages and images of PostgreSQL are built with ICU.',
        ],
      ]
    : [];

  it.each([
    [
      'a table of another program',
      'CREATE TABLE webhooks (id integer)',
      'DATABASE_URL: the table webhooks in the schema public belongs to another program.',
      OTHERS,
    ],
    [
      "another program's view by the name of a table",
      'CREATE VIEW webhooks AS SELECT 1 AS id',
      'DATABASE_URL: the table webhooks in the schema public belongs to another program.',
      OTHERS,
    ],
    ...WITHOUT_ICU,
    [
      'a table with a rule, by which PostgreSQL stores something else than it returns',
      `CREATE TABLE boxes (name text); CREATE VIEW seen AS SELECT 1; CREATE RULE "not mine" AS ON DELETE TO boxes DO ALSO NOTHING;
       CREATE RULE lower AS ON INSERT TO boxes DO ALSO UPDATE boxes SET name = lower(name)`,
      'DATABASE_URL: the table boxes has the rule lower, so PostgreSQL does not return what it stores.',
      'Write a trigger instead, and run: DROP RULE lower ON boxes',
    ],
  ])('%s, and change nothing', async (_, setup, finding, advice) => {
    await sql(setup);
    const before = await tables();
    const { code, stderr } = await refusedStart({ PORT: '0', DATABASE_URL: database.url });
    expect({ code, stderr }).toEqual({ code: 1, stderr: `petstore: ${finding} ${advice}\n` });
    const failed = (await doctorFinds({})).filter(({ state }) => state === 'fail');
    expect(failed).toEqual([{ check: 'database', state: 'fail', finding, advice }]);
    expect(await tables()).toEqual(before);
  });
});

describe('a database that rounds numbers', () => {
  it('is named with the command that helps, by the start and doctor', async () => {
    const { pathname, username } = new URL(database.url);
    await sql(`ALTER DATABASE ${pathname.slice(1)} SET extra_float_digits = 0`);
    const { stderr } = await refusedStart({ PORT: '0', DATABASE_URL: database.url });
    const remedy = `ALTER ROLE ${username} IN DATABASE ${pathname.slice(1)} SET extra_float_digits = 1`;
    expect(stderr).toContain(`extra_float_digits is 0, so PostgreSQL rounds`);
    expect(stderr).toContain(`Run: ${remedy}\n`);
    expect((await doctorFinds({})).map(({ advice }) => advice)).toContain(`Run: ${remedy}`);
    await sql(remedy);
    expect((await doctorFinds({})).filter(({ state }) => state === 'fail')).toEqual([]);
  });
});

describe('a column without a time zone', () => {
  it('is named by the start, which goes on, and by doctor', async () => {
    await withMigratedDatabase(async (url) => {
      await withClient(url, (client) =>
        client.query(
          'ALTER TABLE webhooks ADD seen timestamp, ADD "Last" timestamp(3)[], ADD gone timestamptz',
        ),
      );
      const finding = 'columns keep times without a zone: webhooks."Last", webhooks.seen';
      const env = { DATABASE_URL: url, WEBHOOK_SECRET_KEYS: randomBytes(32).toString('base64') };
      expect(await startWarnings(env)).toEqual([expect.stringContaining(finding)]);
      expect(await doctorFinds(env)).toMatchObject([{ check: 'times', state: 'warn', finding }]);
    });
  });
});

describe('a setting by which the service would be wrong', () => {
  it.each([
    ['default_transaction_isolation', `'repeatable read'`, `'read committed'`],
    ['standard_conforming_strings', 'off', 'on'],
  ])('%s = %s is named with the command that helps, by the start and doctor', async (name, wrong, right) => {
    const { pathname, username } = new URL(database.url);
    await sql(`ALTER DATABASE ${pathname.slice(1)} SET ${name} = ${wrong}`);
    const { code, stderr } = await refusedStart({ PORT: '0', DATABASE_URL: database.url });
    const remedy = `ALTER ROLE ${username} IN DATABASE ${pathname.slice(1)} SET ${name} = ${right}`;
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(`^petstore: DATABASE_URL: ${name} is .+\\. Run: ${remedy}\n$`) as string,
    });
    expect((await doctorFinds({})).map(({ advice }) => advice)).toContain(`Run: ${remedy}`);
    expect(await tables()).toEqual([]);
    await sql(remedy);
    expect((await doctorFinds({})).filter(({ state }) => state === 'fail')).toEqual([]);
  });

  it.each(['bytea_output = escape', `intervalstyle = 'iso_8601'`, `datestyle = 'German'`])(
    '%s is none',
    async (setting) => {
      await sql(`ALTER DATABASE ${new URL(database.url).pathname.slice(1)} SET ${setting}`);
      expect((await doctorFinds({})).filter(({ state }) => state === 'fail')).toEqual([]);
    },
  );
});

describe('a PostgreSQL that is read-only', () => {
  it('is refused by doctor', async () => {
    const name = new URL(database.url).pathname.slice(1);
    await sql(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    expect((await doctorFinds({})).filter(({ state }) => state === 'fail')).toMatchObject([
      { check: 'database', finding: 'DATABASE_URL: PostgreSQL is read-only.' },
    ]);
  });

  it('is named by a command that writes, in one line', async () => {
    await withMigratedDatabase(async (url) => {
      await withClient(url, (client) =>
        client.query(
          `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_read_only = on`,
        ),
      );
      const args = ['keys', 'create', '--plan', 'free', '--name', 'x'];
      const { code, stderr } = await petstore(args, { DATABASE_URL: url });
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringMatching(/^petstore: DATABASE_URL: PostgreSQL is read-only\. .+\n$/) as string,
      });
    });
  });
});

describe('DATABASE_DIRECT_URL', () => {
  const WRONG = 'DATABASE_DIRECT_URL leads to another database than DATABASE_URL.';
  let other: TestDatabase;
  beforeEach(async () => {
    other = await createTestDatabase('template1');
  });
  afterEach(() => other.drop());

  it('of another database is refused by the start, doctor and all commands, which change nothing', async () => {
    const env = { PORT: '0', DATABASE_URL: database.url, DATABASE_DIRECT_URL: other.url };
    const refusals = [await refusedStart(env)];
    for (const args of [
      ['migrate'],
      ['keys', 'list'],
      ['keys', 'revoke', '1', '--yes'],
      ['webhooks', 'list'],
      ['new-ids'],
    ])
      refusals.push(await petstore(args, env));
    for (const { code, stderr } of refusals) {
      expect(stderr).toMatch(`petstore: ${WRONG} `);
      expect(stderr).toMatch(/^petstore: .+\n$/);
      expect(code).toBe(1);
    }
    expect((await doctorFinds(env)).map(({ finding }) => finding)).toContain(WRONG);
    const left = await withClient(other.url, (client) =>
      client.query(`SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace`),
    );
    expect(left.rowCount).toBe(0);
    expect(await tables()).toEqual([]);
  });

  it('of the same database under another name of the host is fine', async () => {
    const direct = Object.assign(new URL(database.url), { hostname: 'localhost' }).href;
    const found = await doctorFinds({ DATABASE_DIRECT_URL: direct });
    expect(found.filter(({ state }) => state === 'fail')).toEqual([]);
  });

  it('with another schema is refused', async () => {
    await sql('CREATE SCHEMA aside');
    const direct = `${database.url.split('?')[0]}?options=-c%20search_path%3Daside`;
    const { stderr } = await refusedStart({
      PORT: '0',
      DATABASE_URL: database.url,
      DATABASE_DIRECT_URL: direct,
    });
    expect(stderr).toBe(
      'petstore: DATABASE_DIRECT_URL uses the schema aside, and DATABASE_URL the schema public. Give both the same search_path.\n',
    );
  });

  it('that responds does not hide a DATABASE_URL that does not', async () => {
    const env = {
      DATABASE_URL: Object.assign(new URL(database.url), { port: '1' }).href,
      DATABASE_DIRECT_URL: database.url,
      DATABASE_PREPARED_STATEMENTS: 'off',
    };
    const [finding] = (await doctorFinds(env)).map((found) => found.finding);
    expect(finding).toMatch(/^DATABASE_URL: no connection \(/);
  });
});

describe('a METRICS_PORT that another program uses', () => {
  it('is named by doctor and, before anything is changed, by the start', async () => {
    const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const METRICS_PORT = String((server.address() as AddressInfo).port);
    const finding = `Port ${METRICS_PORT} is in use.`;
    const advice = 'Stop the program that uses it, or set METRICS_PORT to another port.';
    const { stderr } = await refusedStart({ PORT: '0', DATABASE_URL: database.url, METRICS_PORT });
    expect(stderr).toBe(`petstore: ${finding} ${advice}\n`);
    expect(await tables()).toEqual([]);
    expect(await doctorFinds({ METRICS_PORT })).toContainEqual({
      check: 'port',
      state: 'fail',
      finding,
      advice,
    });
    server.close();
  });
});

describe('the start and doctor warn of', () => {
  beforeAll(() => {
    template = 'petstore';
  });
  const key = (): string => randomBytes(32).toString('base64');
  const mine = key();

  /** Both must say the same. */
  async function expectWarning(env: Record<string, string>, finding: string | RegExp): Promise<void> {
    const warnings = await doctorFinds({ WEBHOOK_SECRET_KEYS: mine, ...env });
    expect(warnings).toEqual([
      expect.objectContaining({ state: 'warn', finding: expect.stringMatching(finding) as string }),
    ]);
    const [{ finding: found, advice } = { finding: '', advice: '' }] = warnings;
    const settings = { PORT: '0', DATABASE_URL: database.url, WEBHOOK_SECRET_KEYS: mine, ...env };
    expect(await startWarnings(settings)).toEqual([`${found}. ${advice}`]);
  }

  it('a misspelled variable, those of modules too', async () => {
    await expectWarning({ REDIS_ULR: 'redis://x' }, /^nothing reads REDIS_ULR$/);
    expect(await doctorFinds({ WEBHOOK_WORKR: 'off', WEBHOOK_SECRET_KEYS: mine })).toMatchObject([
      { finding: 'nothing reads WEBHOOK_WORKR', advice: 'Set WEBHOOK_WORKER if you mean that.' },
    ]);
  });

  it('indexes that rely on an older version of a collation, until they are rebuilt', async () => {
    await sql(`UPDATE pg_collation SET collversion = '1.0' WHERE collname = 'und-x-icu'`);
    const [{ actual } = { actual: '' }] = (await sql(
      `SELECT pg_collation_actual_version(oid) AS actual FROM pg_collation WHERE collname = 'und-x-icu'`,
    )) as { actual: string }[];
    await expectWarning(
      {},
      `pets_folded_name_id_idx and pets_status_folded_name_id_idx rely on version 1.0 of a collation, and PostgreSQL has ${actual} now`,
    );
    for (const index of ['pets_folded_name_id_idx', 'pets_status_folded_name_id_idx']) {
      await sql(`REINDEX INDEX CONCURRENTLY ${index}`);
      await sql(`COMMENT ON INDEX ${index} IS 'built with collation version ${actual}'`);
      await sql(`REINDEX INDEX CONCURRENTLY ${index}`); // keeps the comment
    }
    expect(await doctorFinds({ WEBHOOK_SECRET_KEYS: mine })).toEqual([]);
  });

  it('a limit of connections below what a process opens', async () => {
    const role = `r${randomBytes(4).toString('hex')}`;
    await sql(`CREATE ROLE ${role} LOGIN PASSWORD 'x' CONNECTION LIMIT 11;
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role}`);
    const url = Object.assign(new URL(database.url), { username: role, password: 'x', search: '' }).href;
    await expectWarning(
      { DATABASE_URL: url },
      `the role ${role} has 11 connections, and a process of the service opens up to 12`,
    );
    const smaller = { DATABASE_URL: url, WEBHOOK_SECRET_KEYS: mine, DATABASE_POOL_SIZE: '9' };
    expect(await doctorFinds(smaller)).toEqual([]);
    await sql(`ALTER ROLE ${role} CONNECTION LIMIT 12`);
    expect(await doctorFinds({ DATABASE_URL: url, WEBHOOK_SECRET_KEYS: mine })).toEqual([]);
    await expectWarning({ DATABASE_URL: url, DATABASE_POOL_SIZE: '20' }, 'opens up to 22$');
    await sql(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  });

  it.each([
    ['ahead of', 90_400],
    ['behind', -90_400],
  ])('a clock that is %s that of PostgreSQL', async (side, offset) => {
    const now = Date.now.bind(Date);
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + offset);
    await expectWarning({}, `^the clock of this machine is 90 s ${side} that of PostgreSQL$`);
    clock.mockRestore();
    expect(await doctorFinds({ WEBHOOK_SECRET_KEYS: mine })).toEqual([]);
  });

  describe('webhook secrets that cannot be read:', () => {
    const [first, second] = [key(), key()];
    const boxOf = (...keys: string[]) => new SecretBox(keys.map((each) => Buffer.from(each, 'base64')));
    const secret = Buffer.alloc(32);

    beforeEach(async () => {
      const args = ['keys', 'create', '--plan', 'free', '--name', 'x'];
      expect(await petstore(args, { DATABASE_URL: database.url })).toMatchObject({ code: 0 });
    });

    const store = (box: SecretBox) =>
      sql(
        `INSERT INTO webhooks (api_key_id, url, types, state, secret, after_event_id, created_at)
         SELECT id, 'https://x.example', '{}', 'enabled', $1, 0, now() FROM api_keys`,
        [box.encrypt(secret)],
      );

    it.each([
      ['none of them with another key', { WEBHOOK_SECRET_KEYS: key() }, '3 of 3 .* with WEBHOOK_SECRET_KEYS'],
      ['some, with one key of two', { WEBHOOK_SECRET_KEYS: second }, '2 of 3 .* with WEBHOOK_SECRET_KEYS'],
      ['all without a key', { WEBHOOK_SECRET_KEYS: '' }, '3 of 3 .* without WEBHOOK_SECRET_KEYS'],
    ])('%s', async (_, env, finding) => {
      await store(boxOf(first));
      await store(boxOf(first));
      await store(boxOf(second));
      await expectWarning(env, new RegExp(`^${finding}: their deliveries fail$`));
      const both = `${second},${first}`;
      expect(await doctorFinds({ WEBHOOK_SECRET_KEYS: both })).toEqual([]);
    });
  });
});

describe('a check of a module', () => {
  beforeAll(() => {
    template = 'template1';
  });

  const asks = (statement: string, url = database.url) => {
    const check: DatabaseCheck = async ({ query }) => (await query(statement)).map(() => ok('visits', 'one'));
    return checkDatabase(url, url, {
      config: new Config({}),
      known: MIGRATIONS,
      checks: [check],
    }).then(({ found }) => found.filter((result) => result.check === 'visits'));
  };
  const MISSING = ['SELECT FROM a_new_table', 'SELECT a_new_column FROM pg_class'];

  it.each(MISSING)('finds nothing while the migration is pending that it needs: %s', async (statement) => {
    expect(await asks(statement)).toEqual([]);
    expect(await asks('SELECT')).toEqual([ok('visits', 'one')]);
  });

  it.each(MISSING)('fails if no migration is pending: %s', async (statement) => {
    await withMigratedDatabase(async (url) => {
      await expect(asks(statement, url)).rejects.toThrow('does not exist');
    });
  });

  it('fails for any other reason, also while one is pending', async () => {
    await expect(asks('SELECT 1 / 0')).rejects.toThrow('division by zero');
  });
});
