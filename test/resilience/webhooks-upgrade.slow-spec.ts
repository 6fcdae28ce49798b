import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { eventually } from '../support/eventually.js';
import { COMMAND_LINE, Program, run } from '../support/program.js';
import { createTestDatabase, type TestDatabase, withClient } from '../support/test-database.js';
import { buildCommit } from '../support/version-before.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const LOCAL = { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' };
const MIGRATION = 'migrations/1795911000000-lease-webhooks.ts';
/** The last version whose deliveries graphile-worker queued. */
const { stdout } = spawnSync('git', ['log', '-1', '--diff-filter=A', '--format=%P', '--', MIGRATION], {
  encoding: 'utf8',
});
const commit = stdout.trim();

(commit === '' ? describe.skip : describe)('webhooks, while the version before is replaced', () => {
  let old: Awaited<ReturnType<typeof buildCommit>>;
  let database: TestDatabase;
  let receiver: WebhookReceiver;
  const workers: Program[] = [];

  const env = () => ({ DATABASE_URL: database.url, ...LOCAL });
  const oldCommandLine = () => join(old.path, 'bin/petstore.js');
  const query = (sql: string) => withClient(database.url, (client) => client.query(sql));
  const startWorker = async (commandLine: string): Promise<Program> => {
    const worker = new Program(commandLine, ['worker'], { cwd: old.path, env: env() });
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
    old = await buildCommit(commit);
    receiver = await WebhookReceiver.start();
    database = await createTestDatabase('template1');
    expect(await run(oldCommandLine(), ['migrate'], { cwd: old.path, env: env() })).toMatchObject({
      code: 0,
    });
    await run(oldCommandLine(), ['keys', 'create', '--name', 'x', '--plan', 'pro'], {
      cwd: old.path,
      env: env(),
    });
    await query(String.raw`INSERT INTO webhooks (api_key_id, url, types, state, secret, after_event_id, created_at)
      SELECT id, '${receiver.url}', '{}', 'enabled', '\x00', 0, now() FROM api_keys`);
  });
  afterAll(async () => {
    for (const worker of workers) worker.signal('SIGKILL');
    receiver.stop();
    await database.drop();
    await old.remove();
  });

  it('are sent once by both versions side by side, and pending ones by the version that stays, in either order', async () => {
    receiver.respond = 500;
    const before = await startWorker(oldCommandLine());
    await record(20);
    await eventually(async () => (await pending()) === 20 && receiver.received.length > 0);
    await end(before);
    receiver.respond = 204;
    receiver.received.length = 0;

    expect(await run(COMMAND_LINE, ['migrate'], { cwd: old.path, env: env() })).toMatchObject({ code: 0 });
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
