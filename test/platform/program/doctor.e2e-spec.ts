import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { CheckResult } from '../../../src/platform/kernel/config/check-result.js';
import { petstore } from '../../support/command-line.js';
import { becomes, eventually } from '../../support/eventually.js';
import { emptyFolder, type Ended } from '../../support/program.js';
import { describeWithRedis, RedisServer } from '../../support/redis-server.js';
import { readText } from '../../support/repository.js';
import { createTestDatabase, type TestDatabase, withClient } from '../../support/test-database.js';
import { PREFIX } from '../../support/prefix.js';

let folder: Awaited<ReturnType<typeof emptyFolder>>;
let database: TestDatabase;

beforeAll(async () => {
  [folder, database] = await Promise.all([emptyFolder(), createTestDatabase()]);
});

afterAll(() => Promise.all([folder.remove(), database.drop()]));

type Env = Record<string, string>;

const doctor = (env: Env, ...args: string[]): Promise<Ended> =>
  petstore(['doctor', ...args], {
    PORT: '0',
    PETSTORE_DATA_DIR: join(folder.path, '.petstore'),
    ...env,
  });

/** Its findings, as `state: finding` by check. The exit code must match. */
async function findings(env: Env): Promise<Record<string, string>> {
  const { code, stdout, stderr } = await doctor(env, '--json');
  const all = JSON.parse(stdout) as CheckResult[];
  const failed = all.filter(({ state }) => state === 'fail').length;
  expect({ code, stderr }).toEqual(
    failed === 0
      ? { code: 0, stderr: '' }
      : { code: 1, stderr: `petstore: ${failed} of ${all.length} checks failed.\n` },
  );
  return Object.fromEntries(all.map(({ check, state, finding }) => [check, `${state}: ${finding}`]));
}

const starting = (text: string): unknown => expect.stringMatching(new RegExp(`^${text}`));

describe('petstore doctor', () => {
  it('finds nothing wrong before the first start, and creates nothing', async () => {
    expect(await findings({})).toEqual({
      configuration: 'ok: all variables are valid',
      database: `ok: embedded PostgreSQL in ${join(folder.path, '.petstore')}, created at the first start`,
      redis: starting('ok: not used'),
      port: 'ok: any free port',
    });
    expect(await readdir(folder.path)).toEqual([]);
  });

  it('prints a table with advice below each finding', async () => {
    const { code, stdout } = await doctor({ REDIS_URL: 'redis://127.0.0.1:1' });
    expect(stdout).toMatch(/^STATE +CHECK +FINDING\nok +configuration +all/);
    expect(stdout).toMatch(/^fail +redis +no response.+\n {10,}→ Check that Redis runs/m);
    expect(code).toBe(1);
  });

  it('names every invalid variable, and still checks what does not depend on it', async () => {
    const env = { PORT: 'http', LOG_LEVEL: 'loud', DATABASE_URL: 'mysql://me:hunter2@db/pets' };
    const { stdout } = await doctor(env);
    for (const name of Object.keys(env))
      expect(stdout).toMatch(new RegExp(`^fail +configuration +${name} `, 'm'));
    expect(stdout).toMatch(/^warn +database +not checked\n +→ .*DATABASE_URL/m);
    expect(stdout).toMatch(/^ok +redis/m);
    expect(stdout).not.toContain('hunter2');
  });
});

describe('petstore doctor warns of', () => {
  const warnings = async (env: Env) => {
    const { code, stdout } = await doctor(env, '--json');
    expect(code).toBe(0);
    const all = JSON.parse(stdout) as CheckResult[];
    return all.filter(({ state }) => state === 'warn').map(({ finding, advice }) => `${finding} → ${advice}`);
  };

  it.each([
    ['DATABSE_URL', 'DATABASE_URL'],
    ['PROT', 'PORT'],
    ['database_url', 'DATABASE_URL'],
    ['WEBHOOK_SECRET_KEY', 'WEBHOOK_SECRET_KEYS'],
  ])('%s, which nothing reads: probably %s', async (name, meant) => {
    expect(await warnings({ [name]: 'x' })).toEqual([
      `nothing reads ${name} → Set ${meant} if you mean that.`,
    ]);
  });

  it('no variables of other programs', async () => {
    const others = ['PATH', 'HOME', 'HOSTNAME', 'PGHOST', 'REDIS_PORT', 'npm_config_cache'];
    expect(await warnings(Object.fromEntries(others.map((name) => [name, 'x'])))).toEqual([]);
  });

  it.each(['0.0.0.0', '::'])('HOST=%s without the public address and the proxies', async (HOST) => {
    const [address, proxy] = await warnings({ HOST });
    expect(address).toMatch(/^HOST is .+, without PUBLIC_URL → /);
    expect(proxy).toMatch(/^HOST is .+, without TRUST_PROXY → /);
    expect(await warnings({ HOST, PUBLIC_URL: 'https://pets.example.com', TRUST_PROXY: '1' })).toEqual([]);
  });

  it('an address that others reach, without the proxies', async () => {
    expect(await warnings({ HOST: '192.0.2.1' })).toEqual([
      expect.stringMatching(
        /^HOST is 192\.0\.2\.1, without TRUST_PROXY → A proxy belongs in front .*docs\/rate-limits\.md/,
      ),
    ]);
    for (const HOST of ['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1', 'localhost'])
      expect(await warnings({ HOST })).toEqual([]);
  });

  it('secrets of webhooks that are stored in plain text', async () => {
    const env = { DATABASE_URL: database.url };
    expect(await warnings(env)).toEqual([
      expect.stringMatching(/^the secrets of webhooks are stored in plain text → .+WEBHOOK_SECRET_KEYS/),
    ]);
    expect(await warnings({ ...env, WEBHOOK_SECRET_KEYS: Buffer.alloc(32).toString('base64') })).toEqual([]);
  });
});

describe('petstore doctor with a DATABASE_URL', () => {
  const named = (names: string) => ({ migrations: starting(names) });

  it('shows the address of the database, and that no migration is pending', async () => {
    const { host, pathname } = new URL(database.url);
    expect(await findings({ DATABASE_URL: database.url })).toMatchObject({
      database: `ok: PostgreSQL at ${host}${pathname} responds`,
      migrations: starting('ok: all \\d+ applied$'),
    });
  });

  it('names pending migrations, and applies none', async () => {
    const empty = await createTestDatabase('template1');
    expect(await findings({ DATABASE_URL: empty.url })).toMatchObject(
      named('warn: (\\d+) of \\1 pending: CreatePets1764547200000, '),
    );
    const tables = 'SELECT FROM pg_class WHERE relnamespace = to_regnamespace($1)';
    expect((await withClient(empty.url, (client) => client.query(tables, ['public']))).rowCount).toBe(0);
    await empty.drop();
  });

  it('names migrations of a newer version', async () => {
    const newer = await createTestDatabase();
    await withClient(newer.url, (client) =>
      client.query("INSERT INTO migrations (timestamp, name) VALUES (9999999999999, 'AddDogs9999999999999')"),
    );
    expect(await findings({ DATABASE_URL: newer.url })).toMatchObject(named('warn: .*AddDogs9999999999999'));
    await newer.drop();
  });

  it('says why the server does not respond, without the password', async () => {
    const changes: Partial<URL>[] = [
      { port: '1' },
      { password: 'hunter2' },
      { pathname: '/no_such_database' },
    ];
    const wrong = changes.map((change): URL => Object.assign(new URL(database.url), change));
    const attempts = wrong.map(async ({ href, password }) => {
      const { code, stdout } = await doctor({ DATABASE_URL: href });
      expect(stdout).toMatch(
        /^fail +database +DATABASE_URL: no connection .+\n +→ Check that the database runs/m,
      );
      expect(stdout).not.toContain(password);
      expect(code).toBe(1);
    });
    await Promise.all(attempts);
  });
});

describe('petstore doctor with a REDIS_URL that no service could use', () => {
  it.each(['/abc', '/-1', '/1.5', '/2/3', '/?db=two', '/?db=3', '?db=3', '/2?db=3'])(
    'refuses the database in redis://…%s',
    async (path) => {
      expect(await findings({ REDIS_URL: `redis://127.0.0.1:1${path}` })).toMatchObject({
        configuration: starting('fail: REDIS_URL must name its database by a number, such as redis://'),
        redis: 'warn: not checked',
      });
    },
  );

  it('refuses a password with a bare percent sign, without showing it', async () => {
    const { stdout } = await doctor({ REDIS_URL: 'redis://me:hunter%zz@127.0.0.1:1' });
    expect(stdout).toMatch(/^fail +configuration +REDIS_URL must have each % .+ as %25\.$/m);
    expect(stdout).not.toContain('hunter');
  });

  it('says in its own words that no sentinel responds', async () => {
    const { stdout } = await doctor({ REDIS_URL: 'redis://master', REDIS_SENTINELS: '127.0.0.1:1' });
    expect(stdout).toMatch(
      /the master "mymaster" of the sentinels: no sentinel names the master \([^.→]+\)\n +→ Check that Redis runs/,
    );
  });
});

describe('petstore doctor with a PORT', () => {
  it('says that the port is in use', async () => {
    const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const PORT = String((server.address() as AddressInfo).port);
    const found = await findings({ PORT }).finally(() => server.close());
    expect(found).toMatchObject({ port: starting(`fail: Port ${PORT} is in use`) });
  });

  it('says that HOST is not an address of this machine', async () => {
    expect(await findings({ PORT: '3000', HOST: '192.0.2.1' })).toMatchObject({
      port: starting('fail: HOST 192.0.2.1'),
    });
  });
});

describeWithRedis('petstore doctor with a REDIS_URL', () => {
  let redis: RedisServer;

  beforeAll(async () => {
    redis = await RedisServer.start(['--requirepass', 'hunter2']);
  });

  afterAll(() => redis.stop());

  const withPassword = (password: string) => Object.assign(new URL(redis.url), { password }).href;

  it('says that it responds', async () => {
    expect(await findings({ REDIS_URL: withPassword('hunter2') })).toMatchObject({
      redis: `ok: 127.0.0.1:${redis.port} responds and counts`,
    });
  });

  it('says that it is not the cluster that is configured', async () => {
    expect(await findings({ REDIS_URL: withPassword('hunter2'), REDIS_CLUSTER: 'true' })).toMatchObject({
      redis: `fail: no response from the cluster at 127.0.0.1:${redis.port}: REDIS_CLUSTER is on, but this Redis is no cluster`,
    });
  });

  it('says that the account may not select the database, in which case 0 would be used', async () => {
    const [, rules = ''] =
      /^user petstore on >PASSWORD (.*)$/m.exec(
        readText('docs/running.md').replace('~petstore:', `~${PREFIX}:`),
      ) ?? [];
    redis.command(
      '--no-auth-warning',
      '-a',
      'hunter2',
      'ACL',
      'SETUSER',
      'old',
      'on',
      '>old',
      ...rules.split(' '),
      '-select',
    );
    redis.command(
      '--no-auth-warning',
      '-a',
      'hunter2',
      'ACL',
      'SETUSER',
      'new',
      'on',
      '>new',
      ...rules.split(' '),
    );
    const at = (user: string) => `redis://${user}:${user}@127.0.0.1:${redis.port}/2`;
    expect(await findings({ REDIS_URL: at('new') })).toMatchObject({ redis: starting('ok: ') });
    expect(await findings({ REDIS_URL: at('old') })).toMatchObject({
      redis: expect.stringContaining('database 2 cannot be selected, so 0 would be used: NOPERM') as unknown,
    });
  });

  it('says that it is full, and leaves nothing behind', async () => {
    const full = await RedisServer.start(['--maxmemory', '1', '--maxmemory-policy', 'noeviction']);
    const found = await findings({ REDIS_URL: full.url });
    expect(found).toMatchObject({
      redis: `fail: 127.0.0.1:${full.port} responds, but does not count: it is full: raise its maxmemory`,
    });
    full.command('CONFIG', 'SET', 'maxmemory', '0');
    expect(await findings({ REDIS_URL: full.url })).toMatchObject({ redis: starting('ok: ') });
    await becomes(() => full.command('KEYS', '*'), '');
    await full.stop();
  });

  it('says that it is a replica, which cannot count', async () => {
    const settings = ['--replicaof', '127.0.0.1', String(redis.port), '--masterauth', 'hunter2'];
    const replica = await RedisServer.start(settings);
    await eventually(() => replica.command('INFO', 'replication').includes('master_link_status:up'));
    const found = await findings({ REDIS_URL: replica.url });
    expect(found).toMatchObject({
      redis: expect.stringMatching(/does not count: READONLY [^.]+$/) as unknown,
    });
    await replica.stop();
  });

  it('says why the server does not respond, without the password', async () => {
    const { code, stdout } = await doctor({ REDIS_URL: withPassword('secret') });
    expect(stdout).toMatch(/^fail +redis +no response from 127\.0\.0\.1:\d+: WRONGPASS/m);
    expect(stdout).not.toContain('secret');
    expect(code).toBe(1);
  });
});
