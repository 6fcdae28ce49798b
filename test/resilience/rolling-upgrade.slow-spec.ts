import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { eventually } from '../support/eventually.js';
import { Load } from '../support/load.js';
import { COMMAND_LINE, run, SERVICE } from '../support/program.js';
import { Replicas } from '../support/replicas.js';
import { appliedMigrations } from '../support/schema.js';
import { skipped } from '../support/skipped.js';
import { createTestDatabase, type TestDatabase, withClient } from '../support/test-database.js';
import { buildOf, commitBefore } from '../support/version-before.js';

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
