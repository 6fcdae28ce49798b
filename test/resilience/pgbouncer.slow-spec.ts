import { seconds } from '../../src/platform/kernel/clock/duration.js';
import { describeWith } from '../support/describe-with.js';
import { becomes, eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { Load } from '../support/load.js';
import { PgBouncer } from '../support/pgbouncer.js';
import { PostgresServer } from '../support/postgres-server.js';
import { COMMAND_LINE, emptyFolder, Program, run, SERVICE } from '../support/program.js';

const SESSION_MODE = ['pool_mode = session', 'default_pool_size = 20'];

describeWith('pgbouncer', 'a service behind PgBouncer', () => {
  let server: PostgresServer;
  let bouncer: PgBouncer;
  let folder: Awaited<ReturnType<typeof emptyFolder>>;

  beforeAll(async () => {
    [folder, server] = await Promise.all([emptyFolder(), PostgresServer.start()]);
  });
  afterEach(() => bouncer.stop());
  afterAll(async () => {
    await server.stop();
    await folder.remove();
  });

  /** Fewer connections than the service has, so transactions alternate between them. */
  const transactionMode = ['pool_mode = transaction', 'default_pool_size = 3'];

  it.each([
    ['in session mode', SESSION_MODE, () => ({})],
    [
      'in transaction mode',
      transactionMode,
      () => ({ DATABASE_DIRECT_URL: server.url, DATABASE_PREPARED_STATEMENTS: 'off' }),
    ],
  ])('%s serves every request and notices changes of keys', async (_mode, settings, more) => {
    bouncer = await PgBouncer.before(server.url, settings);
    const port = await freePort();
    const surroundings = {
      cwd: folder.path,
      env: { DATABASE_URL: bouncer.url, PORT: String(port), ...more() },
    };
    const limits = ['--per-minute', '1000000', '--per-day', '10000000'];
    const args = ['keys', 'create', '--plan', 'enterprise', '--name', 'x', ...limits, '--json'];
    await run(COMMAND_LINE, ['migrate'], surroundings);
    const { stdout } = await run(COMMAND_LINE, args, surroundings);
    const { key, id } = JSON.parse(stdout) as { key: string; id: number };
    const service = new Program(SERVICE, [], surroundings);
    await service.prints(/listens/);

    const load = new Load(port, key, 16);
    await eventually(() => load.created.length > 100 && load.sent > 400);
    const tally = await load.stop();
    expect(Object.keys(tally).sort()).toEqual(['GET 200', 'POST 201']);
    const there = new Set((await server.query('SELECT id::text FROM pets')).map((row) => row.id));
    const ids = load.created.map((body) => String((JSON.parse(body) as { id: number }).id));
    expect(ids.filter((one) => !there.has(one))).toEqual([]);

    const status = async () =>
      (await fetch(`http://127.0.0.1:${port}/v1/pets`, { headers: { Authorization: `Bearer ${key}` } }))
        .status;
    expect(await status()).toBe(200);
    await server.query('UPDATE api_keys SET revoked_at = now() WHERE id = $1', [id]);
    await becomes(() => status(), 401, seconds(8)); // sooner than its cache entry expires
    service.signal('SIGTERM');
    expect(await service.ended).toMatchObject({ code: 0 });
  });

  describe('in transaction mode without DATABASE_DIRECT_URL', () => {
    const env = () => ({ DATABASE_URL: bouncer.url, DATABASE_PREPARED_STATEMENTS: 'off', PORT: '0' });
    const surroundings = () => ({ cwd: folder.path, env: env() });
    const warning = /a pooler in front of PostgreSQL gives each transaction another session/;

    beforeEach(async () => {
      bouncer = await PgBouncer.before(server.url, transactionMode);
    });

    it('doctor and the start warn if no migration is pending', async () => {
      const { code, stdout } = await run(COMMAND_LINE, ['doctor'], surroundings());
      expect(stdout).toMatch(
        /^warn +database +a pooler in front of PostgreSQL gives each transaction another/m,
      );
      expect(stdout).toContain('Set DATABASE_DIRECT_URL to the address of PostgreSQL itself');
      expect(code).toBe(0);
      const service = new Program(SERVICE, [], surroundings());
      await service.prints(/listens/);
      expect(service.stdout).toMatch(warning);
      service.signal('SIGTERM');
      await service.ended;
    });

    it('the start and petstore migrate refuse to apply migrations, and revert none', async () => {
      const [last] = await server.query(
        'DELETE FROM migrations WHERE id = (SELECT max(id) FROM migrations) RETURNING timestamp, name',
      );
      const { stdout } = await run(COMMAND_LINE, ['doctor'], surroundings());
      expect(stdout).toMatch(/^fail +database +Migrations need a session/m);
      expect(stdout).not.toContain('applies them');
      const refusals = [
        await run(SERVICE, [], surroundings()),
        await run(COMMAND_LINE, ['migrate'], surroundings()),
        await run(COMMAND_LINE, ['migrate', '--revert', '--yes'], surroundings()),
      ];
      for (const { code, stderr } of refusals) {
        expect(stderr).toMatch(/^petstore: Migrations need a session .+DATABASE_DIRECT_URL .+\n$/);
        expect(code).toBe(1);
      }
      await server.query(
        `INSERT INTO migrations (timestamp, name) VALUES (${String(last?.timestamp)}, '${String(last?.name)}')`,
      );
    });
  });

  describe('with a statement_timeout other than the page says', () => {
    afterEach(() => server.query('ALTER ROLE CURRENT_USER RESET statement_timeout'));

    it.each([
      ['none', '0', 'PostgreSQL does not end a statement that nobody waits for any more'],
      ['one second', '1s', 'PostgreSQL ends each statement after 1 s'],
    ])('doctor and the start warn: %s', async (_, value, finding) => {
      await server.query(`ALTER ROLE CURRENT_USER SET statement_timeout = '${value}'`);
      bouncer = await PgBouncer.before(server.url, SESSION_MODE, { connectQuery: '' });
      const surroundings = { cwd: folder.path, env: { DATABASE_URL: bouncer.url, PORT: '0' } };
      const { code, stdout } = await run(COMMAND_LINE, ['doctor'], surroundings);
      expect(stdout).toMatch(new RegExp(`^warn +database +${finding}$`, 'm'));
      expect(code).toBe(0);
      const service = new Program(SERVICE, [], surroundings);
      await service.prints(/listens/);
      expect(service.stdout).toContain(finding);
      service.signal('SIGTERM');
      await service.ended;
    });

    it('a limit that ends the checks themselves is one sentence, without a stack', async () => {
      await server.query(`ALTER ROLE CURRENT_USER SET statement_timeout = '1ms'`);
      bouncer = await PgBouncer.before(server.url, SESSION_MODE, { connectQuery: '' });
      const surroundings = { cwd: folder.path, env: { DATABASE_URL: bouncer.url, PORT: '0' } };
      const { code, stdout, stderr } = await run(COMMAND_LINE, ['doctor'], surroundings);
      expect(stdout).toMatch(
        /^(fail|warn) +database +.*(statement_timeout|ends each statement after 0.001 s)/m,
      );
      expect(stdout + stderr).not.toMatch(/\n +at /);
      expect(code).toBeLessThanOrEqual(1);
    });
  });

  it.each([
    ['session', SESSION_MODE, {}],
    ['transaction', transactionMode, { DATABASE_PREPARED_STATEMENTS: 'off' }],
  ])(
    'in %s mode reads dates whatever the database sets: an expired key is 401',
    async (_, settings, more) => {
      const name = new URL(server.url).pathname.slice(1);
      await server.query(`ALTER DATABASE ${name} SET datestyle = 'German'`);
      bouncer = await PgBouncer.before(server.url, settings);
      const port = await freePort();
      const env = { DATABASE_URL: bouncer.url, DATABASE_DIRECT_URL: server.url, PORT: String(port), ...more };
      const surroundings = { cwd: folder.path, env };
      const args = ['keys', 'create', '--plan', 'business', '--name', 'x', '--json'];
      const { stdout } = await run(COMMAND_LINE, args, surroundings);
      const { key, id } = JSON.parse(stdout) as { key: string; id: number };
      const service = new Program(SERVICE, [], surroundings);
      await service.prints(/listens/);
      const status = async () =>
        (await fetch(`http://127.0.0.1:${port}/v1/events`, { headers: { Authorization: `Bearer ${key}` } }))
          .status;
      const statuses = await Promise.all(Array.from({ length: 40 }, status));
      expect(new Set(statuses)).toEqual(new Set([200]));
      await server.query(`UPDATE api_keys SET expires_at = now() - interval '1 hour' WHERE id = $1`, [id]);
      await becomes(status, 401);
      service.signal('SIGTERM');
      await service.ended;
      await server.query(`ALTER DATABASE ${name} RESET datestyle`);
    },
  );

  describe('with prepared statements that it mixes up', () => {
    const env = () => ({ DATABASE_URL: bouncer.url, DATABASE_DIRECT_URL: server.url, PORT: '0' });

    beforeEach(async () => {
      bouncer = await PgBouncer.before(server.url, transactionMode);
    });

    it('doctor fails and says what to set, and is content once it is set', async () => {
      const wrong = await run(COMMAND_LINE, ['doctor'], { cwd: folder.path, env: env() });
      expect(wrong.code).toBe(1);
      expect(wrong.stdout).toMatch(
        /^fail +database +A pooler .* mixes prepared statements up: prepared statement/m,
      );
      expect(wrong.stdout).toContain('Set DATABASE_PREPARED_STATEMENTS=off, or use PgBouncer 1.21');
      const right = await run(COMMAND_LINE, ['doctor'], {
        cwd: folder.path,
        env: { ...env(), DATABASE_PREPARED_STATEMENTS: 'off' },
      });
      expect(right.stdout).toMatch(/^ok +database/m);
    });

    it('a request gets 503 with the reason in the log, never 500', async () => {
      const port = await freePort();
      const surroundings = { cwd: folder.path, env: { ...env(), PORT: String(port) } };
      const limits = ['--per-minute', '1000000', '--per-day', '10000000'];
      const args = ['keys', 'create', '--plan', 'enterprise', '--name', 'y', ...limits, '--json'];
      // Past the pooler, which may fail this command too.
      const { stdout } = await run(COMMAND_LINE, args, {
        ...surroundings,
        env: { DATABASE_URL: server.url },
      });
      const { key } = JSON.parse(stdout) as { key: string };
      const { url } = bouncer;
      await bouncer.stop();
      bouncer = await PgBouncer.before(server.url, SESSION_MODE, { at: url }); // the start would refuse the other one
      const service = new Program(SERVICE, [], surroundings);
      await service.prints(/listens/);
      await bouncer.stop();
      bouncer = await PgBouncer.before(server.url, transactionMode, { at: url });
      const load = new Load(port, key, 16);
      await eventually(() => load.sent > 1_000);
      const tally = await load.stop();
      service.signal('SIGTERM');
      await service.ended;
      expect(Object.keys(tally).filter((outcome) => /500|401/.test(outcome))).toEqual([]);
      for (const line of service.stdout.split('\n').filter((line) => line.includes('"status":503')))
        expect(line).toContain('"reason":"');
    });

    it('that is down while PostgreSQL is up, the service does not start, and says so in one line', async () => {
      const { url } = bouncer;
      await bouncer.stop();
      bouncer = await PgBouncer.before(server.url, transactionMode); // for afterEach
      const ended = await run(SERVICE, [], { cwd: folder.path, env: { ...env(), DATABASE_URL: url } });
      expect(ended.code).toBe(1);
      expect(ended.stderr).toMatch(/^petstore: DATABASE_URL: no connection \(.*ECONNREFUSED.*\n$/);
    });
  });
});
