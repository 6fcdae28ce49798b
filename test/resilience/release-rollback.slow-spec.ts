import { join } from 'node:path';
import { eventually } from '../support/eventually.js';
import { Load } from '../support/load.js';
import { COMMAND_LINE, run, SERVICE } from '../support/program.js';
import { Replicas } from '../support/replicas.js';
import { skipped } from '../support/skipped.js';
import { createTestDatabase, type TestDatabase, withClient } from '../support/test-database.js';
import { buildOf, lastRelease } from '../support/version-before.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const release = lastRelease();
if (release === undefined)
  skipped('going back to the last release, and forward again', 'fetch the history of the clone');

/** What a client has got for an `Idempotency-Key`. */
interface First {
  readonly key: string;
  readonly body: string;
}

(release === undefined ? describe.skip : describe)('the last release and this version, under load', () => {
  let old: string;
  let database: TestDatabase;
  let replicas: Replicas;
  let receiver: WebhookReceiver;
  let load: Load;
  let key: string;
  const firsts: First[] = [];

  const oldService = () => join(old, 'dist/src/main.js');
  const query = (sql: string) => withClient(database.url, (client) => client.query(sql));
  const petstore = (program: string, ...args: string[]) =>
    run(program, args, { cwd: old, env: { DATABASE_URL: database.url } });

  const call = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const response = await fetch(`http://127.0.0.1:${replicas.balancer.port}${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: await response.text() };
  };
  const create = (idempotencyKey: string) =>
    call('/v1/pets', { name: idempotencyKey, categoryId: 7 }, { 'Idempotency-Key': idempotencyKey });

  /** Each version leaves a response to repeat, and deliveries that have failed once. */
  async function leaveBehind(name: string): Promise<void> {
    receiver.respond = 500;
    const seen = receiver.received.length;
    const { status, body } = await create(name);
    expect(status).toBe(201);
    firsts.push({ key: name, body });
    await eventually(() => receiver.received.length > seen + 10);
  }

  /** Repeats what all versions have answered, and sends what they have left. */
  async function takeOver(): Promise<void> {
    for (const { key: idempotencyKey, body } of firsts)
      expect(await create(idempotencyKey)).toEqual({ status: 201, body });
    receiver.respond = 204;
    await query(`UPDATE webhook_deliveries SET next_attempt_at = now() WHERE state = 'pending'`);
  }

  const runsOn = async () => {
    const before = load.sent;
    await eventually(() => load.sent > before + 100);
  };
  const rollTo = async (service: string) => {
    await replicas.restart(
      runsOn,
      async (program) => {
        expect(await program.ended).toMatchObject({ code: 0 });
      },
      service,
    );
    await runsOn();
  };

  beforeAll(async () => {
    old = await buildOf(release ?? '');
    [database, receiver] = await Promise.all([createTestDatabase('template1'), WebhookReceiver.start()]);
    expect(await petstore(join(old, 'bin/petstore.js'), 'migrate')).toMatchObject({ code: 0 });
    const limits = ['--plan', 'enterprise', '--per-minute', '1000000', '--per-day', '10000000'];
    const created = await petstore(
      join(old, 'bin/petstore.js'),
      ...['keys', 'create', '--name', 'load', ...limits, '--scopes', 'all', '--json'],
    );
    ({ key } = JSON.parse(created.stdout) as { key: string });
    replicas = await Replicas.start(2, database.url, oldService(), {
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    });
    expect(await call('/v1/webhooks', { url: receiver.url })).toMatchObject({ status: 201 });
    load = new Load(replicas.balancer.port, key);
  });
  afterAll(async () => {
    await load.stop();
    await replicas.stop();
    receiver.stop();
    await database.drop();
  });

  it('replace one another without a failed request, and each goes on with what the other has left', async () => {
    await runsOn();
    await leaveBehind('old');
    expect(await petstore(COMMAND_LINE, 'migrate')).toMatchObject({ code: 0 });
    await rollTo(SERVICE);
    await takeOver();

    await leaveBehind('new');
    await rollTo(oldService()); // back, on the tables of the new version
    await takeOver();

    await leaveBehind('old-again');
    await rollTo(SERVICE);
    await takeOver();

    expect(Object.keys(await load.stop()).sort()).toEqual(['GET 200', 'POST 201']);
    const { rowCount } = await query('SELECT FROM pets');
    expect(rowCount).toBe(load.created.length + firsts.length);
  });

  it('deliver every event, under one id each', async () => {
    const created = [...load.created, ...firsts.map(({ body }) => body)].map(
      (body) => (JSON.parse(body) as { id: number }).id,
    );
    await query(`UPDATE webhook_deliveries SET next_attempt_at = now() WHERE state = 'pending'`);
    await eventually(
      async () => (await query(`SELECT FROM webhook_deliveries WHERE state = 'pending'`)).rowCount === 0,
    );
    const ids = new Map<number, Set<unknown>>();
    for (const { headers, body } of receiver.received) {
      const { data } = JSON.parse(body) as { data: { id: number } };
      ids.set(data.id, (ids.get(data.id) ?? new Set()).add(headers['webhook-id']));
    }
    expect(created.filter((id) => ids.get(id)?.size !== 1)).toEqual([]);
    const failed = await query(`SELECT FROM webhook_deliveries WHERE state <> 'delivered'`);
    expect(failed.rowCount).toBe(0);
  });

  it('also go back in a database that this version has made', async () => {
    const fresh = await createTestDatabase();
    const env = { DATABASE_URL: fresh.url };
    const create = ['keys', 'create', '--name', 'back', '--plan', 'pro', '--json'];
    const created = await run(join(old, 'bin/petstore.js'), create, { cwd: old, env });
    const back = await Replicas.start(1, fresh.url, oldService());
    try {
      const { key } = JSON.parse(created.stdout) as { key: string };
      const response = await fetch(`http://127.0.0.1:${back.balancer.port}/v1/pets`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${key}`,
          'Content-Type': 'application/json',
          'Idempotency-Key': 'back',
        },
        body: '{"name":"Rex","categoryId":1}',
      });
      expect(response.status).toBe(201);
    } finally {
      await back.stop();
      await fresh.drop();
    }
  });
});
