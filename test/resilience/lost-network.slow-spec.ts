import { MIGRATIONS } from '../support/migrations.js';
import { seconds } from '../../src/platform/kernel/clock/duration.js';
import { DEFAULT_POOL_SIZE } from '../../src/platform/data/database/database.config.js';
import { connectionsOfAProcess } from '../../src/platform/data/database/pool/connection-options.js';
import { becomes, eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { Load } from '../support/load.js';
import { describeWithNetwork, LossyNetwork } from '../support/lossy-network.js';
import { PostgresServer } from '../support/postgres-server.js';
import { COMMAND_LINE, emptyFolder, Program, run, SERVICE } from '../support/program.js';
import { withClient } from '../support/test-database.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

/** The kernels would repeat what has no answer for 15 minutes, and notice after two hours that nobody is there. */
const LASTS = seconds(20);
const BOUND = seconds(10);

describeWithNetwork('a network that loses all packets between PostgreSQL and', () => {
  let network: LossyNetwork;
  let server: PostgresServer;
  let folder: Awaited<ReturnType<typeof emptyFolder>>;
  /** The URL of PostgreSQL behind the network. */
  let url: string;
  let key: string;

  const petstore = (...args: string[]) =>
    run(COMMAND_LINE, args, { cwd: folder.path, env: { DATABASE_URL: server.url } });
  async function createKey(): Promise<{ id: string; key: string }> {
    const limits = ['--per-minute', '1000000', '--per-day', '10000000'];
    const { stdout } = await petstore(
      ...['keys', 'create', '--plan', 'enterprise', '--name', 'x', '--json', ...limits],
    );
    return JSON.parse(stdout) as { id: string; key: string };
  }

  beforeAll(async () => {
    network = LossyNetwork.create();
    folder = await emptyFolder();
    server = await PostgresServer.start();
    url = await server.listenOn(network.lossy);
    ({ key } = await createKey());
  });
  afterEach(() => {
    network.mend();
  });
  afterAll(async () => {
    await server.stop();
    network.remove();
    await folder.remove();
  });

  describe('the service', () => {
    let service: Program;
    let receiver: WebhookReceiver;
    let port: number;

    const call = async (method: string, path: string, body?: object, secret = key) => {
      const headers = { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' };
      const json = body && JSON.stringify(body);
      const response = await fetch(`http://${network.open.there}:${port}${path}`, {
        method,
        headers,
        body: json,
      });
      return { status: response.status, body: await response.text() };
    };
    const get = async (path: string, secret?: string) => (await call('GET', path, undefined, secret)).status;
    const createPet = async () => {
      const { status, body } = await call('POST', '/v1/pets', { name: 'Rex', categoryId: 7 });
      expect(status).toBe(201);
      return (JSON.parse(body) as { id: number }).id;
    };
    const count = async (sql: string, values: unknown[] = []) => (await server.query(sql, values)).length;
    const sessions = () =>
      count('SELECT FROM pg_stat_activity WHERE client_addr = $1', [network.lossy.there]);

    beforeAll(async () => {
      port = await freePort();
      receiver = await WebhookReceiver.start(network.open.here);
      const env = { HOST: '0.0.0.0', PORT: String(port), WEBHOOK_ALLOWED_NETWORKS: '10.0.0.0/8' };
      service = new Program(SERVICE, [], {
        cwd: folder.path,
        env: { DATABASE_URL: url, ...env },
        launcher: network.launcher,
      });
      await service.prints(/listens/);
    });
    afterAll(async () => {
      receiver.stop();
      service.signal('SIGTERM');
      expect(await service.ended).toMatchObject({ code: 0 });
    });

    it('makes requests 503 within 10 s, loses no pet that was confirmed, and is over when it is over', async () => {
      const load = new Load(port, key, 8, 4, network.open.there);
      await eventually(() => load.sent > 100);
      network.lose();
      const began = performance.now();
      await eventually(() => performance.now() - began > LASTS, LASTS * 2);
      expect(await get('/health/live')).toBe(200);
      expect(await get('/health/ready')).toBe(503);
      network.mend();
      const before = load.created.length;
      await eventually(() => load.created.length > before);
      await eventually(async () => (await get('/health/ready')) === 200);
      const tally = await load.stop();
      const outcomes = /^(GET 200|POST 201|(GET|POST) 503 service_unavailable)$/;
      expect(Object.keys(tally).filter((outcome) => !outcomes.test(outcome))).toEqual([]);
      expect(load.slowest).toBeLessThan(BOUND);
      const there = new Set((await server.query('SELECT id::text FROM pets')).map(({ id }) => id));
      const ids = load.created.map((body) => String((JSON.parse(body) as { id: number }).id));
      expect(ids.filter((id) => !there.has(id))).toEqual([]);
      await eventually(
        async () => (await sessions()) <= connectionsOfAProcess({ poolSize: DEFAULT_POOL_SIZE }),
      );
    });

    it('keeps changes of keys from it no longer', async () => {
      const changed = await createKey();
      expect(await get('/v1/pets', changed.key)).toBe(200);
      network.lose();
      await eventually(async () => (await get('/v1/key', changed.key)) === 503);
      network.mend();
      await eventually(async () => (await get('/v1/key', changed.key)) === 200);
      const listening = `SELECT FROM pg_stat_activity WHERE application_name = 'petstore key changes' AND query = 'SELECT 1'`;
      await eventually(async () => (await count(listening)) > 0);
      await petstore('keys', 'revoke', changed.id);
      const revoked = performance.now();
      await eventually(async () => (await get('/v1/key', changed.key)) === 401);
      expect(performance.now() - revoked).toBeLessThan(seconds(5)); // without a notification, after 10 s
    });

    it('makes webhooks late, and loses none', async () => {
      expect(await call('POST', '/v1/webhooks', { url: receiver.url })).toMatchObject({ status: 201 });
      receiver.respond = (response) => {
        network.lose(); // so the delivery cannot be recorded
        response.writeHead(204).end();
      };
      const first = await createPet();
      await receiver.message(0);
      receiver.respond = 204;
      await eventually(async () => (await get('/v1/pets')) === 503);
      network.mend();
      await eventually(async () => (await get('/v1/pets')) === 200);
      const second = await createPet();
      const idOf = new Map<number, unknown>();
      await eventually(async () => {
        for (const { headers, body } of receiver.received)
          idOf.set((JSON.parse(body) as { data: { id: number } }).data.id, headers['webhook-id']);
        const pending = await count(`SELECT FROM webhook_deliveries WHERE state = 'pending'`);
        return idOf.has(first) && idOf.has(second) && pending === 0;
      });
      const sent = new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
      expect([...sent].sort()).toEqual([...idOf.values()].sort());
    });

    it('leaves nothing of a lost machine at PostgreSQL: its locks and its sessions end', async () => {
      const petId = await createPet();
      const lockRow = 'SELECT FROM pets WHERE id = $1 FOR UPDATE';
      await withClient(server.url, async (other) => {
        await other.query('BEGIN');
        await other.query(lockRow, [petId]);
        const changing = call('PATCH', `/v1/pets/${petId}`, { name: 'Max' });
        await eventually(
          async () =>
            (await count(`SELECT FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'`)) > 0,
        );
        network.lose();
        await other.query('COMMIT'); // now the transaction of the lost machine has the row
        expect(await changing).toMatchObject({ status: 503 });
        await other.query(lockRow, [petId]);
      });
      await becomes(sessions, 0);
      expect(service.stdout).not.toContain('released with an open transaction');
    });
  });

  describe('a migration that', () => {
    it.each([
      {
        does: 'waits for the response to a statement',
        first: 'IndexDeliveriesByState',
        drop: 'DROP INDEX webhook_deliveries_webhook_id_state_id_idx',
        hold: 'BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1', // for which an index that is built concurrently waits
        runs: `SELECT FROM pg_stat_activity WHERE query LIKE 'CREATE INDEX CONCURRENTLY%' AND wait_event_type = 'Lock'`,
      },
      {
        does: 'sends a statement every second',
        first: 'FreePlans',
        drop: 'SELECT 1',
        hold: 'BEGIN; LOCK TABLE migrations IN SHARE MODE',
        runs: `SELECT FROM pg_locks WHERE relation = 'migrations'::regclass AND NOT granted`,
      },
    ])('$does ends it, and the next one applies all', async ({ first, drop, hold, runs }) => {
      const from = MIGRATIONS.findIndex(({ name }) => name.startsWith(first));
      for (let i = from; i < MIGRATIONS.length; i++)
        expect(await petstore('migrate', '--revert', '--yes')).toMatchObject({ code: 0 });
      await server.query(drop);
      const migrate = (databaseUrl: string, launcher: readonly string[] = []) =>
        new Program(COMMAND_LINE, ['migrate'], {
          cwd: folder.path,
          env: { DATABASE_URL: databaseUrl },
          launcher,
        });
      const lost = await withClient(server.url, async (other) => {
        await other.query(hold);
        const program = migrate(url, network.launcher);
        await eventually(async () => (await server.query(runs)).length > 0);
        network.lose();
        await other.query('COMMIT');
        return program;
      });
      const next = migrate(server.url); // waits until PostgreSQL has noticed, too
      expect(await lost.ended).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(
          /^petstore: PostgreSQL failed in the middle of a migration: /,
        ) as unknown,
      });
      expect(await next.ended).toMatchObject({ code: 0 });
      const [row] = await server.query('SELECT count(*)::int AS applied FROM migrations');
      expect(row).toEqual({ applied: MIGRATIONS.length });
    });
  });
});
