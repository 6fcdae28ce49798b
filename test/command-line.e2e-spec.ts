import { jest } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from './support/test-database.js';
import { COMMAND_LINE, emptyFolder, type Ended, Program, run, SERVICE } from './support/program.js';

jest.setTimeout(30_000); // real processes on a machine that is busy with the other suites

const SECRET = /^petstore_[0-9A-Za-z]{49}$/;
const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown;

let folder: Awaited<ReturnType<typeof emptyFolder>>;
let database: TestDatabase;

beforeAll(async () => {
  [folder, database] = await Promise.all([emptyFolder(), createTestDatabase()]);
});

afterAll(() => Promise.all([folder.remove(), database.drop()]));

const petstore = (...args: string[]): Promise<Ended> =>
  run(COMMAND_LINE, args, { cwd: folder.path, env: { DATABASE_URL: database.url } });

interface Key {
  readonly id: string;
  readonly key: string;
}

/** What a command that succeeds prints with --json. */
async function json<T = unknown>(...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await petstore(...args, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as T;
}

const createKey = (...args: string[]) => json<Key>('keys', 'create', '--name', 'a test', ...args);

/** One line on stderr that holds all the parts, nothing on stdout, exit code 1. */
async function expectRefusal(args: string[], ...parts: string[]): Promise<void> {
  const { code, stdout, stderr } = await petstore(...args);
  for (const part of parts) expect(stderr).toContain(part);
  expect(stderr).toMatch(/^petstore: .+\n$/);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
}

describe('petstore keys create', () => {
  it('prints with --json one object with the id and the key, and all that is known of it', async () => {
    const created = await json<Key>('keys', 'create', '--plan', 'pro', '--name', 'Zoë’s shop');
    expect(created).toMatchObject({
      id: expect.stringMatching(/^\d+$/) as unknown,
      key: expect.stringMatching(SECRET) as unknown,
      name: 'Zoë’s shop',
      plan: 'pro',
      perMinute: 300,
      perDay: 10_000,
      prefix: created.key.slice(0, 13),
      lastFour: created.key.slice(-4),
      createdAt: INSTANT,
      expiresAt: null,
      revokedAt: null,
      lastUsedAt: null,
    });
  });

  it('prints for people the key on a line of its own', async () => {
    const { code, stdout } = await petstore('keys', 'create', '--plan', 'free', '--name', 'x');
    expect(code).toBe(0);
    expect(stdout.split('\n')).toContainEqual(expect.stringMatching(SECRET));
  });

  it('gives an enterprise key the two limits it is told', async () => {
    const limits = ['--per-minute', '7', '--per-day', '2147483647'];
    expect(await createKey('--plan', 'enterprise', ...limits)).toMatchObject({
      plan: 'enterprise',
      perMinute: 7,
      perDay: 2_147_483_647,
    });
  });

  it.each([
    ['an enterprise key without limits', ['--plan', 'enterprise'], '--per-minute'],
    ['an enterprise key with one limit', ['--plan', 'enterprise', '--per-day', '9'], '--per-minute'],
    ['limits for another plan', ['--plan', 'pro', '--per-minute', '9', '--per-day', '9'], '--per-day'],
    ['a limit of 0', ['--plan', 'enterprise', '--per-minute', '0', '--per-day', '9'], '--per-minute'],
    [
      'a limit that is no number',
      ['--plan', 'enterprise', '--per-minute', '9', '--per-day', '1e3'],
      '--per-day',
    ],
    ['an unknown plan', ['--plan', 'gold'], 'free, pro, business, enterprise'],
    ['no plan', [], '--plan'],
    ['an empty name', ['--plan', 'pro', '--name', ''], '--name'],
    ['a name of white space', ['--plan', 'pro', '--name', ' '], '--name'],
    ['a name of 201 characters', ['--plan', 'pro', '--name', 'x'.repeat(201)], '--name'],
    ['an unknown option', ['--plan', 'pro', '--colour', 'red'], '--colour'],
  ])('refuses %s', async (_, args, part) => {
    await expectRefusal(['keys', 'create', '--name', 'x', ...args], part);
  });

  it('refuses to make a key without a name', () =>
    expectRefusal(['keys', 'create', '--plan', 'pro'], '--name'));
});

describe('a key, once created', () => {
  let created: Key;

  beforeAll(async () => {
    created = await createKey('--plan', 'business');
  });

  it('is what petstore keys list and show print with --json, but for the key itself', async () => {
    const { key, ...known } = created;
    expect(await json('keys', 'show', known.id)).toEqual(known);
    const list = await json('keys', 'list');
    expect(list).toContainEqual(known);
    expect(JSON.stringify(list)).not.toContain(key);
  });

  it('is a row of the table that petstore keys list prints for people', async () => {
    const { stdout } = await petstore('keys', 'list');
    expect(stdout).toMatch(/^ID +NAME +PLAN +PER MINUTE +PER DAY/);
    const shown = `petstore_\\w{4}…${created.key.slice(-4)}`;
    expect(stdout).toMatch(
      new RegExp(`^${created.id} +a test +business +1000 +100000 +${shown} .+ active$`, 'm'),
    );
  });

  it('can be revoked, and a second time changes nothing', async () => {
    const revoked = await json<{ revokedAt: string }>('keys', 'revoke', created.id);
    expect(revoked).toMatchObject({ id: created.id, revokedAt: INSTANT });
    expect((await petstore('keys', 'revoke', created.id)).stdout).toContain('revoked');
    expect(await json('keys', 'show', created.id)).toEqual(revoked);
  });
});

describe.each(['show', 'revoke'])('petstore keys %s', (command) => {
  it.each(['x', '1.5', '9223372036854775808', ''])('refuses the id %j', (id) =>
    expectRefusal(['keys', command, '--', id], 'id'),
  );

  it('refuses an id that no key has', () =>
    expectRefusal(['keys', command, '9223372036854775807'], '9223372036854775807', 'petstore keys list'));

  it('refuses to do without an id', () => expectRefusal(['keys', command], 'id'));
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
    const ended = run(COMMAND_LINE, ['plans', 'list'], { cwd: folder.path, env: { DATABASE_URL: 'x' } });
    expect(await ended).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('petstore', () => {
  it('names a command it does not know', () => expectRefusal(['dogs'], 'dogs'));

  it('prints its help on stdout when asked', async () => {
    const { code, stdout, stderr } = await petstore('keys', '--help');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/create.+list.+show.+revoke/s);
  });

  it('names DATABASE_URL when nothing answers there', async () => {
    const env = { DATABASE_URL: 'postgres://127.0.0.1:1/pets' };
    const { code, stderr } = await run(COMMAND_LINE, ['keys', 'list'], { cwd: folder.path, env });
    expect(stderr).toMatch(/^petstore: DATABASE_URL.+\n$/);
    expect(code).toBe(1);
  });
});

describe('petstore with the embedded database', () => {
  const embedded = (...args: string[]) => run(COMMAND_LINE, [...args, '--json'], { cwd: folder.path });
  const started = async () => {
    const service = new Program(SERVICE, [], { cwd: folder.path, env: { PORT: '0' } });
    await service.prints(/listens[^]*\n$/);
    return service;
  };
  const stopped = (service: Program) => {
    service.signal('SIGINT');
    return service.ended;
  };
  const ask = async ({ stdout }: Program, key: string) => {
    const [base] = /http:\S+(?=\/docs)/.exec(stdout) ?? [''];
    return (await fetch(`${base}/v1/pets`, { headers: { Authorization: `Bearer ${key}` } })).status;
  };

  it('works without a service, on a folder that did not exist, and beside one', async () => {
    const alone = JSON.parse(
      (await embedded('keys', 'create', '--plan', 'free', '--name', 'alone')).stdout,
    ) as Key;

    const service = await started();
    expect(await ask(service, alone.key)).toBe(200);
    const beside = JSON.parse(
      (await embedded('keys', 'create', '--plan', 'free', '--name', 'beside')).stdout,
    ) as Key;
    expect(await ask(service, beside.key)).toBe(200);
    expect(await embedded('keys', 'revoke', beside.id)).toMatchObject({ code: 0 });
    expect(await stopped(service)).toMatchObject({ code: 0, stderr: '' });

    const again = await started();
    expect(await ask(again, beside.key)).toBe(401);
    expect(await ask(again, alone.key)).toBe(200);
    expect(await stopped(again)).toMatchObject({ code: 0 });
  });
});
