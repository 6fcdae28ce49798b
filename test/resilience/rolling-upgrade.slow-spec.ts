import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { eventually } from '../support/eventually.js';
import { Load } from '../support/load.js';
import { COMMAND_LINE, Program, run, SERVICE } from '../support/program.js';
import { Replicas } from '../support/replicas.js';
import { appliedMigrations } from '../support/schema.js';
import { skipped } from '../support/skipped.js';
import { createTestDatabase, type TestDatabase, withClient } from '../support/test-database.js';
import { buildOf, commitBefore } from '../support/version-before.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const commit = commitBefore();
if (commit === undefined)
  skipped('an upgrade from the previous version, and its rollback', 'fetch the history of the clone');

(commit === undefined ? describe.skip : describe)('an upgrade from the version before', () => {
  let old: string;
  let database: TestDatabase;
  let replicas: Replicas;

  const petstore = (commandLine: string, ...args: string[]) =>
    run(commandLine, args, { cwd: old, env: { DATABASE_URL: database.url } });

  beforeAll(async () => {
    old = await buildOf(commit ?? '');
    database = await createTestDatabase('template1');
    expect(await petstore(join(old, 'bin/petstore.js'), 'migrate')).toMatchObject({ code: 0 });
    replicas = await Replicas.start(2, database.url, join(old, 'dist/src/main.js'));
  });
  afterAll(async () => {
    await replicas.stop();
    await database.drop();
  });

  it('fail no request while they are replaced one by one: both versions work on the new tables', async () => {
    const limits = ['--plan', 'enterprise', '--per-minute', '1000000', '--per-day', '10000000'];
    const created = await petstore(
      join(old, 'bin/petstore.js'),
      ...['keys', 'create', '--name', 'load', ...limits, '--json'],
    );
    const { key } = JSON.parse(created.stdout) as { key: string };
    const load = new Load(replicas.balancer.port, key);
    const runsOn = async () => {
      const before = load.sent;
      await eventually(() => load.sent > before + 200);
    };

    await runsOn();
    const before = await appliedMigrations(database.url);
    expect(await petstore(COMMAND_LINE, 'migrate')).toMatchObject({ code: 0 });
    expect((await appliedMigrations(database.url)).length).toBeGreaterThan(before.length);
    for (const version of [SERVICE, join(old, 'dist/src/main.js')]) {
      await replicas.restart(
        runsOn,
        async (program) => {
          expect(await program.ended).toMatchObject({ code: 0 });
        },
        version,
      );
      await runsOn();
    }

    const tally = await load.stop();
    expect(Object.keys(tally).sort()).toEqual(['GET 200', 'POST 201']);
    const { rows } = await withClient(database.url, (client) =>
      client.query<{ count: string }>('SELECT count(*) FROM pets'),
    );
    expect(Number(rows[0]?.count)).toBe(load.created.length);
  });

  it('replays to a repeat on either version what the other one has stored', async () => {
    const args = ['keys', 'create', '--name', 'repeats', '--plan', 'pro', '--json'];
    const created = await petstore(join(old, 'bin/petstore.js'), ...args);
    const { key } = JSON.parse(created.stdout) as { key: string };
    const before = await Replicas.start(1, database.url, join(old, 'dist/src/main.js'));
    const after = await Replicas.start(1, database.url);
    const post = async ({ balancer }: Replicas, path: string, idempotencyKey: string, body?: string) => {
      const headers = { Authorization: `Bearer ${key}`, 'Idempotency-Key': idempotencyKey };
      const type = body === undefined ? undefined : { 'Content-Type': 'application/json' };
      const url = `http://127.0.0.1:${balancer.port}/v1${path}`;
      const response = await fetch(url, { method: 'POST', headers: { ...headers, ...type }, body });
      const isReplay = response.headers.get('Idempotent-Replayed') === 'true';
      return { status: response.status, isReplay, text: await response.text() };
    };
    try {
      for (const [name, first, second] of [
        ['forth', before, after],
        ['back', after, before],
      ] as const) {
        const twice = async (path: string, body?: string) => {
          const idempotencyKey = randomUUID();
          const one = await post(first, path, idempotencyKey, body);
          expect(one.status).toBeLessThan(300);
          expect(await post(second, path, idempotencyKey, body)).toEqual({ ...one, isReplay: true });
          return JSON.parse(one.text) as { id: number };
        };
        const { id: categoryId } = await twice('/categories', JSON.stringify({ name: `Dogs ${name}` }));
        await twice('/pets', `{"name":"Åse","categoryId":9007199254740993}`);
        const pet = { status: 'available', name: 'Rex', categoryId };
        const { id: petId } = await twice('/pets', JSON.stringify(pet));
        const { id } = await twice('/store/orders', JSON.stringify({ petId }));
        await twice(`/store/orders/${id}/approve`);
      }
    } finally {
      await before.stop();
      await after.stop();
    }
  });
});

/** The last version whose deliveries graphile-worker queued. */
const graphile = commitBefore('migrations/1795911000000-lease-webhooks.ts');
const LOCAL = { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' };

(graphile === undefined ? describe.skip : describe)('webhooks, while the version before is replaced', () => {
  let old: string;
  let database: TestDatabase;
  let receiver: WebhookReceiver;
  const workers: Program[] = [];

  const env = () => ({ DATABASE_URL: database.url, ...LOCAL });
  const oldCommandLine = () => join(old, 'bin/petstore.js');
  const query = (sql: string) => withClient(database.url, (client) => client.query(sql));
  const startWorker = async (commandLine: string): Promise<Program> => {
    const worker = new Program(commandLine, ['worker'], { cwd: old, env: env() });
    workers.push(worker);
    await worker.prints(/The worker delivers webhooks\./);
    return worker;
  };
  const end = async (worker: Program): Promise<void> => {
    worker.signal('SIGTERM');
    await worker.ended;
  };
  const record = (count: number) =>
    query(`INSERT INTO event_outbox (type, version, occurred_at, data)
           SELECT 'pet.created', 1, now(), '{}' FROM generate_series(1, ${count})`);
  const ids = () => receiver.received.map(({ headers }) => String(headers['webhook-id']));
  const pending = async () =>
    (await query(`SELECT FROM webhook_deliveries WHERE state = 'pending'`)).rowCount ?? 0;

  beforeAll(async () => {
    old = await buildOf(graphile ?? '');
    receiver = await WebhookReceiver.start();
    database = await createTestDatabase('template1');
    expect(await run(oldCommandLine(), ['migrate'], { cwd: old, env: env() })).toMatchObject({
      code: 0,
    });
    await run(oldCommandLine(), ['keys', 'create', '--name', 'x', '--plan', 'pro'], {
      cwd: old,
      env: env(),
    });
    await query(String.raw`INSERT INTO webhooks (api_key_id, url, types, state, secret, after_event_id, created_at)
      SELECT id, '${receiver.url}', '{}', 'enabled', '\x00', 0, now() FROM api_keys`);
  });
  afterAll(async () => {
    for (const worker of workers) worker.signal('SIGKILL');
    receiver.stop();
    await database.drop();
  });

  it('are sent once while both versions run, and pending ones by whichever version remains', async () => {
    receiver.respond = 500;
    const before = await startWorker(oldCommandLine());
    await record(20);
    await eventually(async () => (await pending()) === 20 && receiver.received.length > 0);
    await end(before);
    receiver.respond = 204;
    receiver.received.length = 0;

    expect(await run(COMMAND_LINE, ['migrate'], { cwd: old, env: env() })).toMatchObject({ code: 0 });
    const after = await startWorker(COMMAND_LINE);
    await query(`UPDATE webhook_deliveries SET next_attempt_at = now() WHERE state = 'pending'`);
    await eventually(async () => (await pending()) === 0);
    expect(new Set(ids()).size).toBe(20); // all of them, though the new version has no jobs for them

    const again = await startWorker(oldCommandLine()); // the roll back begins
    receiver.received.length = 0;
    await record(200);
    await eventually(async () => new Set(ids()).size === 200 && (await pending()) === 0);
    expect(ids()).toHaveLength(200);

    await end(after); // only the old version is left
    receiver.received.length = 0;
    await record(20);
    await eventually(async () => new Set(ids()).size === 20 && (await pending()) === 0);
    await end(again);
  });
});
