import { execFile } from 'node:child_process';
import { hostname, userInfo } from 'node:os';
import { promisify } from 'node:util';
import { SCOPES } from '../../../src/platform/access/keys/scopes.js';
import { makeSecret } from '../../../src/platform/access/keys/secret.js';
import { hours } from '../../../src/platform/kernel/clock/duration.js';
import { petstore as inThisProcess, petstoreOnTerminal } from '../../support/command-line.js';
import { eventually } from '../../support/eventually.js';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.js';
import { COMMAND_LINE, emptyFolder, type Ended, reply, run } from '../../support/program.js';
import { PREFIX, SECRET } from '../../support/prefix.js';

const ONE_SECRET = new RegExp(`^${SECRET}$`);
const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown;

let folder: Awaited<ReturnType<typeof emptyFolder>>;
let database: TestDatabase;

beforeAll(async () => {
  [folder, database] = await Promise.all([emptyFolder(), createTestDatabase()]);
});

afterAll(() => Promise.all([folder.remove(), database.drop()]));

/** Ids are numbers in JSON. */
type Argument = string | number;

const petstore = (...args: Argument[]): Promise<Ended> =>
  inThisProcess(args.map(String), { DATABASE_URL: database.url });

/** Runs the program like a user would. */
const program = (...args: Argument[]): Promise<Ended> =>
  run(COMMAND_LINE, args.map(String), { cwd: folder.path, env: { DATABASE_URL: database.url } });

interface Key {
  readonly id: number;
  readonly key: string;
}

interface Rotated extends Key {
  readonly oldSecretEndsAt: string;
}

/** The output of a successful command with --json. */
const json = async <T = unknown>(...args: Argument[]): Promise<T> =>
  printed(await petstore(...args, '--json')) as T;

function printed({ code, stdout, stderr }: Ended): unknown {
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

const createKey = (...args: Argument[]) => json<Key>('keys', 'create', '--name', 'a test', ...args);

/** Expects one line on stderr that contains all parts, nothing on stdout, and exit code 1. */
const expectFailure = async (args: Argument[], ...parts: string[]): Promise<void> => {
  expectOneLine(await petstore(...args), 1, ...parts);
};

/** The same, with exit code 2. */
const expectUsageError = async (args: Argument[], ...parts: string[]): Promise<void> => {
  expectOneLine(await petstore(...args), 2, ...parts);
};

function expectOneLine({ code, stdout, stderr }: Ended, expected: number, ...parts: string[]): void {
  for (const part of parts) expect(stderr).toContain(part);
  expect(stderr).toMatch(/^petstore: .+\n$/);
  expect({ code, stdout }).toEqual({ code: expected, stdout: '' });
}

describe('petstore keys create', () => {
  it('prints with --json one object with the id, the key and its properties', async () => {
    const created = await json<Key>('keys', 'create', '--plan', 'pro', '--name', 'Zoë’s shop');
    expect(created).toMatchObject({
      id: expect.any(Number) as unknown,
      key: expect.stringMatching(ONE_SECRET) as unknown,
      name: 'Zoë’s shop',
      plan: 'pro',
      perMinute: 300,
      perDay: 10_000,
      prefix: created.key.slice(0, PREFIX.length + 5),
      lastFour: created.key.slice(-4),
      createdAt: INSTANT,
      expiresAt: null,
      revokedAt: null,
      lastUsedAt: null,
      scopes: SCOPES,
    });
  });

  it('sets both limits of an enterprise key', async () => {
    const limits = ['--per-minute', '7', '--per-day', '2147483647'];
    expect(await createKey('--plan', 'enterprise', ...limits)).toMatchObject({
      plan: 'enterprise',
      perMinute: 7,
      perDay: 2_147_483_647,
    });
  });

  it('sets the expiry and the scopes', async () => {
    const told = ['--expires', '2031-02-03', '--scopes', 'key:rotate,events:read'];
    expect(await createKey('--plan', 'free', ...told)).toMatchObject({
      expiresAt: '2031-02-03T00:00:00.000Z',
      scopes: ['events:read', 'key:rotate'],
    });
  });

  it.each([
    ['an end that is over', ['--plan', 'pro', '--expires', '2020-01-01'], '--expires'],
    ['a day that does not exist', ['--plan', 'pro', '--expires', '2031-02-30'], '--expires'],
    ['a time that does not say where', ['--plan', 'pro', '--expires', '2031-02-03T10:00'], '--expires'],
    ['an unknown scope', ['--plan', 'pro', '--scopes', 'events:read,events:eat'], SCOPES.join(', ')],
    ['no scope', ['--plan', 'pro', '--scopes', ''], '--scopes'],
    ['an enterprise key without limits', ['--plan', 'enterprise'], '--per-minute'],
    ['an enterprise key with one limit', ['--plan', 'enterprise', '--per-day', '9'], '--per-minute'],
    ['limits for another plan', ['--plan', 'pro', '--per-minute', '9', '--per-day', '9'], '--per-day'],
    ['a limit of 0', ['--plan', 'enterprise', '--per-minute', '0', '--per-day', '9'], '--per-minute'],
    [
      'a limit that is not a number',
      ['--plan', 'enterprise', '--per-minute', '9', '--per-day', '1e3'],
      '--per-day',
    ],
    ['an unknown plan', ['--plan', 'gold'], 'free, pro, business, enterprise'],
    ['no plan', [], '--plan'],
    ['an empty name', ['--plan', 'pro', '--name', ''], '--name'],
    ['a name of white space', ['--plan', 'pro', '--name', ' '], '--name'],
    ['a name of 201 characters', ['--plan', 'pro', '--name', 'x'.repeat(201)], '--name'],
    ['an unknown option', ['--plan', 'pro', '--colour', 'red'], '--colour'],
    ['an option twice', ['--plan', 'pro', '--plan', 'free'], '--plan <plan>'],
    ['a list in two options', ['--plan', 'pro', '--scopes', 'pets:read', '--scopes=pets:write'], '--scopes'],
    ['an end after 9999', ['--plan', 'pro', '--expires', '9999-12-31T23:59:59-01:00'], '--expires'],
  ])('refuses %s', async (_, args, part) => {
    await expectUsageError(['keys', 'create', '--name', 'x', ...args], part);
  });

  it('refuses to create a key without a name', () =>
    expectUsageError(['keys', 'create', '--plan', 'pro'], '--name'));
});

describe('a key, once created', () => {
  let created: Key;

  beforeAll(async () => {
    created = await createKey('--plan', 'business');
  });

  it('is printed by petstore keys list and show with --json, except for the key itself', async () => {
    const { key, ...known } = created;
    expect(await json('keys', 'show', known.id)).toEqual(known);
    const list = await json('keys', 'list');
    expect(list).toContainEqual(known);
    expect(JSON.stringify(list)).not.toContain(key);
  });

  it('can be revoked; a second revocation changes nothing', async () => {
    const revoked = await json<{ revokedAt: string }>('keys', 'revoke', created.id);
    expect(revoked).toMatchObject({ id: created.id, revokedAt: INSTANT });
    expect((await petstore('keys', 'revoke', created.id)).stdout).toContain('revoked');
    expect(await json('keys', 'show', created.id)).toEqual(revoked);
  });
});

describe('petstore keys revoke on a terminal', () => {
  const revoke = (id: number, typed: string, ...args: string[]) =>
    petstoreOnTerminal(typed, ['keys', 'revoke', String(id), ...args], { DATABASE_URL: database.url });

  it('asks, and revokes nothing after Enter, as a separate program', async () => {
    const { id } = await createKey('--plan', 'free');
    const { shown, code } = await reply('\r', COMMAND_LINE, ['keys', 'revoke', String(id)], {
      cwd: folder.path,
      env: { DATABASE_URL: database.url },
    });
    expect(shown).toContain(`Revoke key ${id} (free, a test) permanently? [y/N]`);
    expect(shown).toMatch(/\r?\npetstore: stopped, nothing was changed\.\r?\n$/);
    expect(code).toBe(1);
    expect(await json('keys', 'show', id)).toMatchObject({ revokedAt: null });
  });

  it('revokes after y, and with --yes without a question', async () => {
    const [asked, told] = [await createKey('--plan', 'free'), await createKey('--plan', 'free')];
    const { code, stderr } = await revoke(asked.id, 'y\r');
    expect(code).toBe(0);
    expect(stderr).toContain(`Revoke key ${asked.id} (free, a test) permanently? [y/N]`);
    expect(await revoke(told.id, '', '--yes')).toEqual({
      code: 0,
      stdout: `Key ${told.id} is revoked.\n`,
      stderr: '',
    });
    for (const { id } of [asked, told])
      expect(await json('keys', 'show', id)).toMatchObject({ revokedAt: INSTANT });
  });
});

describe('petstore keys rotate', () => {
  it('shows the new key once, and how long the old one works: by default 24 h', async () => {
    const { id, key } = await createKey('--plan', 'free');
    const rotated = await json<Rotated>('keys', 'rotate', id);
    expect(rotated).toMatchObject({ id, key: expect.stringMatching(ONE_SECRET) as unknown });
    expect(rotated.key).not.toBe(key);
    expect(Date.parse(rotated.oldSecretEndsAt) - Date.now()).toBeCloseTo(hours(24), -5);
    const { stdout } = await petstore('keys', 'rotate', id, '--overlap', '0');
    expect(stdout.split('\n')).toContainEqual(expect.stringMatching(ONE_SECRET));
    expect(stdout).toContain('The old secret has ended.');
    expect(await json('keys', 'show', id)).toMatchObject({ id, oldSecretEndsAt: null });
  });

  it('keeps the end of a working old secret, or replaces it with --replace', async () => {
    const { id } = await createKey('--plan', 'free');
    const { oldSecretEndsAt: promised } = await json<Rotated>('keys', 'rotate', id, '--overlap', '2h');
    const again = await json<Rotated>('keys', 'rotate', id, '--overlap', '3h');
    expect(again.oldSecretEndsAt).toBe(promised);
    const third = await json<Rotated>('keys', 'rotate', id, '--overlap', '3h', '--replace', 'old');
    expect(Date.parse(third.oldSecretEndsAt)).toBeGreaterThan(Date.parse(promised));
  });

  it('promises nothing beyond the end of the key', async () => {
    const { id } = await createKey('--plan', 'free', '--expires', '1h');
    const { expiresAt } = await json<{ expiresAt: string }>('keys', 'show', id);
    expect(await json('keys', 'rotate', id, '--overlap', '7d')).toMatchObject({ oldSecretEndsAt: expiresAt });
    expect((await petstore('keys', 'rotate', id)).stdout).toContain(
      `The old secret works until ${expiresAt}.`,
    );
    await json('keys', 'update', id, '--expires', 'never');
    const shown = await json<{ oldSecretEndsAt: string }>('keys', 'show', id);
    expect(Date.parse(shown.oldSecretEndsAt)).toBeGreaterThan(Date.parse(expiresAt) + hours(24));
  });

  it.each([
    ['revoked', ['revoke', '--yes']],
    ['expired', ['update', '--expires', '1s']],
  ])('shows no old secret as working once the key is %s', async (state, [command = '', ...options]) => {
    const { id } = await createKey('--plan', 'free');
    await json('keys', 'rotate', id, '--overlap', '2h');
    const shown = async () => (await petstore('keys', 'show', id)).stdout;
    expect(await shown()).toContain('OLD SECRET');
    await json('keys', command, id, ...options);
    await eventually(async () => (await shown()).includes(state));
    expect(await shown()).not.toContain('OLD SECRET');
    expect(await json('keys', 'show', id)).toMatchObject({ oldSecretEndsAt: null });
  });

  it.each(['-1h', '1 h', 'tomorrow', '', '31d', '721h'])('refuses the overlap %j', (overlap) =>
    expectUsageError(['keys', 'rotate', '1', `--overlap=${overlap}`], '--overlap', '2h'),
  );

  it('refuses a revoked key', async () => {
    const { id } = await createKey('--plan', 'free');
    await petstore('keys', 'revoke', id);
    await expectFailure(['keys', 'rotate', id], 'revoked', 'petstore keys create');
  });
});

describe('petstore keys update', () => {
  let id: number;
  const change = (...args: string[]) => json('keys', 'update', id, ...args);

  beforeAll(async () => {
    ({ id } = await createKey('--plan', 'free', '--expires', '1d'));
  });

  it('changes plan, limits, name, expiry and scopes, and nothing else', async () => {
    const limits = ['--per-minute', '7', '--per-day', '8'];
    expect(await change('--plan', 'enterprise', ...limits)).toMatchObject({
      name: 'a test',
      plan: 'enterprise',
      perMinute: 7,
      perDay: 8,
    });
    expect(await change('--name', 'another', '--expires', 'never', '--scopes', 'events:read')).toMatchObject({
      name: 'another',
      plan: 'enterprise',
      perMinute: 7,
      expiresAt: null,
      scopes: ['events:read'],
    });
    expect(await change('--plan', 'pro', '--scopes', 'all')).toMatchObject({
      plan: 'pro',
      perMinute: 300,
      scopes: 'all',
    });
  });

  it.each([
    ['nothing', [], '--help'],
    ['half of the limits', ['--plan', 'enterprise', '--per-day', '9'], '--per-minute'],
    ['limits of a plan that has its own', ['--per-minute', '9', '--per-day', '9'], 'enterprise'],
    ['an unknown scope', ['--scopes', 'events'], SCOPES.join(', ')],
    ['an end that is over', ['--expires', '2020-01-01T00:00:00Z'], '--expires'],
  ])('refuses to change %s', (_, args, part) => expectUsageError(['keys', 'update', id, ...args], part));

  it('refuses a revoked key', async () => {
    await petstore('keys', 'revoke', id);
    await expectFailure(['keys', 'update', id, '--name', 'x'], 'revoked', 'petstore keys create');
  });
});

describe('petstore keys history', () => {
  it('shows who changed a key, on which host, with which command, when and how', async () => {
    const { id, key } = await createKey('--plan', 'free');
    await petstore('keys', 'update', id, '--plan', 'pro');
    await petstore('keys', 'ban', id);
    const history = await json<{ action: string }[]>('keys', 'history', id);
    expect(history.map(({ action }) => action)).toEqual(['create', 'update', 'ban']);
    expect(history[1]).toEqual({
      at: INSTANT,
      action: 'update',
      user: userInfo().username,
      host: hostname(),
      command: 'petstore keys update',
      changes: {
        plan: { from: 'free', to: 'pro' },
        perMinute: { from: 60, to: 300 },
        perDay: { from: 1_000, to: 10_000 },
      },
    });
    const { stdout } = await petstore('keys', 'history', id);
    expect(stdout).toMatch(/petstore keys update +update +plan: free → pro; perMinute: 60 → 300/);
    expect(stdout + JSON.stringify(history)).not.toContain(key.slice(13, -4));
  });
});

describe.each(['show', 'revoke', 'rotate', 'history'])('petstore keys %s', (command) => {
  it('refuses a key in place of its id, and does not print it', async () => {
    const secret = makeSecret();
    await expectUsageError(['keys', command, secret], 'id', 'petstore keys list');
    expect((await petstore('keys', command, secret)).stderr).not.toContain(secret.slice(9, 20));
  });

  it('refuses an unknown id', () =>
    expectFailure(['keys', command, '9223372036854775807'], '9223372036854775807', 'petstore keys list'));
});

describe.each(['show', 'revoke'])('petstore keys %s', (command) => {
  it.each(['x', '1.5', '9223372036854775808', ''])('refuses the id %j', (id) =>
    expectUsageError(['keys', command, '--', id], 'id'),
  );
});

describe('petstore plans list', () => {
  const plans = [
    { plan: 'free', perMinute: 60, perDay: 1_000 },
    { plan: 'pro', perMinute: 300, perDay: 10_000 },
    { plan: 'business', perMinute: 1_000, perDay: 100_000 },
    { plan: 'enterprise', perMinute: null, perDay: null },
  ];

  it('prints the plans, with --json as an array', async () => {
    expect(await json('plans', 'list')).toMatchObject(plans);
    const { stdout } = await petstore('plans', 'list');
    for (const { plan } of plans) expect(stdout).toMatch(new RegExp(`^${plan} `, 'm'));
  });

  it('needs no database', async () => {
    expect(await inThisProcess(['plans', 'list'], { DATABASE_URL: 'x' })).toMatchObject({
      code: 0,
      stderr: '',
    });
  });
});

describe('petstore', () => {
  it('works the same as a separate program', async () => {
    const name = 'Zoë’s shop';
    const ended = await program('keys', 'create', '--plan', 'free', '--name', name, '--json');
    const { key, ...known } = printed(ended) as Key;
    expect(known).toMatchObject({ name, plan: 'free', createdAt: INSTANT });
    expect(key).toMatch(ONE_SECRET);
    expect(await json('keys', 'show', known.id)).toEqual(known);
  });

  it('keys unban says whether the key was banned', async () => {
    const { id } = await createKey('--plan', 'free');
    const lifted = async () => (await petstore('keys', 'unban', id)).stdout;
    expect(await lifted()).toBe(`Key ${id} was not banned. Its earlier bans are forgotten.\n`);
    await petstore('keys', 'ban', id);
    expect(await lifted()).toBe(`Key ${id} is no longer banned.\n`);
    expect(await lifted()).toBe(`Key ${id} was not banned. Its earlier bans are forgotten.\n`);
  });

  it('keys ban refuses a revoked key', async () => {
    const { id } = await createKey('--plan', 'free');
    await petstore('keys', 'revoke', id);
    await expectFailure(['keys', 'ban', id], 'revoked', 'petstore keys create');
  });

  it('writes a line of history for each command that changes a key', async () => {
    const { id } = await createKey('--plan', 'free');
    expect(await json('keys', 'usage', id)).toEqual([]);
    await json('keys', 'update', id, '--plan', 'pro');
    await json('keys', 'rotate', id);
    expect(await json('keys', 'ban', id)).toMatchObject({ id, bannedUntil: INSTANT });
    expect(await json('keys', 'unban', id)).toMatchObject({ id, bannedUntil: null });
    await json('keys', 'revoke', id);
    const history = await json<{ action: string; command: string }[]>('keys', 'history', id);
    expect(history.map(({ action, command }) => [command, action])).toEqual(
      ['create', 'update', 'rotate', 'ban', 'unban', 'revoke'].map((action) => [
        `petstore keys ${action}`,
        action,
      ]),
    );
  });

  it('lists its commands by name', async () => {
    const { stdout } = await petstore('--help');
    const names = [...stdout.matchAll(/^ {2}([a-z-]+) (?:\[|  )/gm)].map(([, name]) => name);
    expect(names).toEqual(expect.arrayContaining(['doctor', 'keys', 'new-ids']));
    expect(names).toEqual(names.toSorted());
  });

  it('prints its help as a usage error if no command is given', async () => {
    for (const args of [[], ['keys']])
      expect(await petstore(...args)).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringMatching(/^Usage: /) as unknown,
      });
  });

  it('ends silently if nobody reads its output, as with head', async () => {
    const pipe = `'${process.execPath}' '${COMMAND_LINE}' plans list | true; echo ended`;
    const { stdout, stderr } = await promisify(execFile)('bash', ['-c', pipe], { cwd: folder.path });
    expect({ stdout, stderr }).toEqual({ stdout: 'ended\n', stderr: '' });
  });

  it.each([
    ['does not respond', { port: '1' }],
    ['has no address', { hostname: 'no-such-host.invalid' }],
    ['does not exist', { pathname: '/no_such_database' }],
    ['has no TLS', { search: '?sslmode=require' }],
    ['has no socket there', { search: '?host=/nowhere' }],
    ['refuses an option', { search: '?options=-c%20nonsense%3D1' }],
  ])('names DATABASE_URL if the database %s', async (_, change) => {
    const { href } = Object.assign(new URL(database.url), change);
    expectOneLine(await inThisProcess(['keys', 'list'], { DATABASE_URL: href }), 1, 'DATABASE_URL');
  });
});
