import pg from 'pg';
import { seconds } from '../../src/platform/kernel/clock/duration.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { Load } from '../support/load.js';
import { PostgresServer } from '../support/postgres-server.js';
import { COMMAND_LINE, emptyFolder, Program, run, SERVICE } from '../support/program.js';
import { withClient } from '../support/test-database.js';
import { PREFIX } from '../support/prefix.js';

const LASTS = seconds(7); // longer than a query may take
const BOUND = seconds(10);

interface Fault {
  readonly begin: () => Promise<void>;
  readonly end: () => Promise<void>;
}

/** The responses of a real service under load while its real database fails. */
describe('a service whose PostgreSQL', () => {
  let server: PostgresServer;
  let service: Program;
  let folder: Awaited<ReturnType<typeof emptyFolder>>;
  let port: number;
  let key: string;

  beforeAll(async () => {
    folder = await emptyFolder();
    server = await PostgresServer.start();
    port = await freePort();
    const surroundings = { cwd: folder.path, env: { DATABASE_URL: server.url, PORT: String(port) } };
    const limits = ['--per-minute', '1000000', '--per-day', '10000000'];
    await run(COMMAND_LINE, ['migrate'], surroundings);
    const created = await run(
      COMMAND_LINE,
      ['keys', 'create', '--plan', 'enterprise', '--name', 'x', ...limits, '--json'],
      surroundings,
    );
    ({ key } = JSON.parse(created.stdout) as { key: string });
    service = new Program(SERVICE, [], surroundings);
    await service.prints(/listens/);
  });
  afterAll(async () => {
    service.signal('SIGKILL');
    await service.ended;
    await server.stop();
    await folder.remove();
  });

  const query = (sql: string) => withClient(server.url, (client) => client.query(sql));
  const status = async (path: string) =>
    (await fetch(`http://127.0.0.1:${port}${path}`, { headers: { Authorization: `Bearer ${key}` } })).status;
  const held: pg.Client[] = [];
  async function hold(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: server.url });
    client.on('error', () => undefined);
    await client.connect();
    held.push(client);
    return client;
  }
  const release = async () => {
    await Promise.all(held.splice(0).map((client) => client.end()));
  };

  const FAULTS: Record<string, Fault> = {
    'is killed and started again': { begin: () => server.kill(), end: () => server.launch() },
    'is frozen': { begin: () => server.freeze(), end: () => server.thaw() },
    'has no connection left': {
      begin: async () => {
        const first = await hold();
        await eventually(async () => {
          await first.query(
            `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE '${PREFIX}%'`,
          );
          return hold().then(
            () => false,
            () => true,
          );
        });
      },
      end: release,
    },
    'is slow, because another session holds every table': {
      begin: async () => {
        const holder = await hold();
        await holder.query('BEGIN');
        await holder.query('LOCK TABLE pets, api_keys, api_key_usage IN ACCESS EXCLUSIVE MODE');
      },
      end: release,
    },
    'has no room left on its disk': {
      // PostgreSQL's error in that case: SQLSTATE 53100. Filling a real disk would need root, to create a small one.
      begin: async () => {
        await query(`CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$`);
        await query('CREATE TRIGGER no_room BEFORE INSERT ON pets EXECUTE FUNCTION no_room()');
      },
      end: async () => {
        await query('DROP FUNCTION no_room CASCADE');
      },
    },
  };

  it.each(Object.entries(FAULTS))(
    '%s returns 503 within 10 s meanwhile, recovers by itself, and keeps every pet confirmed with a 201',
    async (_fault, { begin, end }) => {
      await query('TRUNCATE pets CASCADE');
      const load = new Load(port, key);
      await eventually(() => load.sent > 100);
      expect(Object.keys(load.tally).sort()).toEqual(['GET 200', 'POST 201']);

      await begin();
      const began = performance.now();
      try {
        // By chance, all requests at work when it begins may be reads.
        const hasRefused = () => 'POST 503 service_unavailable' in load.tally;
        await eventually(() => performance.now() - began > LASTS && hasRefused(), LASTS * 4);
        expect(await status('/health/live')).toBe(200);
      } finally {
        await end();
      }
      await eventually(
        async () => (await status('/v1/pets')) === 200 && (await status('/health/ready')) === 200,
      );
      const tally = await load.stop();
      const expected = ['GET 200', 'GET 503 service_unavailable', 'POST 201', 'POST 503 service_unavailable'];
      expect(Object.keys(tally).filter((outcome) => !expected.includes(outcome))).toEqual([]);
      expect(load.slowest).toBeLessThan(BOUND);
      const { rows } = await query('SELECT id::text FROM pets');
      const there = new Set(rows.map(({ id }: { id: string }) => id));
      const lost = load.created
        .map((body) => String((JSON.parse(body) as { id: number }).id))
        .filter((id) => !there.has(id));
      expect(lost).toEqual([]);
    },
  );

  it('is frozen under load still ends with exit code 0 within 10 s', async () => {
    const load = new Load(port, key);
    await eventually(() => load.sent > 100);
    await server.freeze();
    const began = performance.now();
    service.signal('SIGTERM');
    expect(await service.ended).toMatchObject({ code: 0 });
    expect(performance.now() - began).toBeLessThan(10_000);
    await load.stop();
  });
});
