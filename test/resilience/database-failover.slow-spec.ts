import { seconds } from '../../src/platform/kernel/clock/duration.js';
import { describeWith } from '../support/describe-with.js';
import { becomes, eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { Load } from '../support/load.js';
import { PostgresPair } from '../support/postgres-pair.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { COMMAND_LINE, emptyFolder, Program, run, SERVICE } from '../support/program.js';
import { PREFIX } from '../support/prefix.js';

const RESPONSES = ['GET 200', 'GET 503 service_unavailable', 'POST 201', 'POST 503 service_unavailable'];
/** After the promotion, the documents promise 5 s and 10 s; a busy machine needs more. */
const BACK_WITHIN = seconds(20);
const REFUSED_WITHIN = seconds(25);
/** Shorter than the lifetime of a cache entry. */
const NOTIFIED_WITHIN = seconds(8);

describeWith('haproxy', 'a service whose PostgreSQL fails over', () => {
  let pair: PostgresPair;
  let service: Program;
  let port: number;
  let folder: Awaited<ReturnType<typeof emptyFolder>>;

  async function start(cutsSessions: boolean): Promise<void> {
    [folder, pair, port] = await Promise.all([
      emptyFolder(),
      PostgresPair.start({ cutsSessions }),
      freePort(),
    ]);
    service = new Program(SERVICE, [], {
      cwd: folder.path,
      env: { DATABASE_URL: pair.url, PORT: String(port), WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' },
    });
    await service.prints(/listens/);
  }
  afterEach(async () => {
    service.signal('SIGKILL');
    await service.ended;
    await pair.stop();
    await folder.remove();
  });

  async function newKey(): Promise<{ key: string; id: string }> {
    const limits = ['--per-minute', '1000000', '--per-day', '10000000'];
    const args = ['keys', 'create', '--plan', 'enterprise', '--name', 'x', ...limits, '--json'];
    const { stdout } = await run(COMMAND_LINE, args, { cwd: folder.path, env: { DATABASE_URL: pair.url } });
    const { key, id } = JSON.parse(stdout) as { key: string; id: number };
    return { key, id: String(id) };
  }
  const send = async (key: string): Promise<number> =>
    (await fetch(`http://127.0.0.1:${port}/v1/pets`, { headers: { Authorization: `Bearer ${key}` } })).status;
  const post = async (key: string, path: string, body: object): Promise<number> => {
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
    const request = { method: 'POST', headers, body: JSON.stringify(body) };
    return (await fetch(`http://127.0.0.1:${port}/v1/${path}`, request)).status;
  };
  /** Waits for more than the given number of responses. A failure shows all responses. */
  const responds = (load: Load, response: string, times: number): Promise<void> =>
    eventually(
      () => (load.tally[response] ?? 0) > times,
      undefined,
      () => load.tally,
    );
  /** Pets whose creation was confirmed but that do not exist. */
  async function lost({ created }: Load): Promise<string[]> {
    const there = new Set((await pair.standby.query('SELECT id::text FROM pets')).map(({ id }) => id));
    return created
      .map((body) => String((JSON.parse(body) as { id: number }).id))
      .filter((id) => !there.has(id));
  }

  it('because the primary is killed, keeps every pet confirmed with a 201, and recovers by itself', async () => {
    await start(true);
    const { key } = await newKey();
    const revoked = await newKey();
    expect(await send(revoked.key)).toBe(200);
    const load = new Load(port, key);
    await responds(load, 'POST 201', 50);

    await pair.primary.kill();
    await responds(load, 'POST 503 service_unavailable', 0);
    expect(await send(revoked.key)).not.toBe(401); // either cached, or cannot be looked up now
    await pair.promote();
    await pair.standby.query('UPDATE api_keys SET revoked_at = now() WHERE id = $1', [revoked.id]);
    const before = load.created.length;
    await eventually(
      () => load.created.length > before,
      BACK_WITHIN,
      () => load.tally,
    );
    await becomes(() => send(revoked.key), 401, REFUSED_WITHIN);

    // Notifications work again: a change takes effect before a cache entry expires.
    const second = await newKey();
    await becomes(() => listeners(), 1);
    expect(await send(second.key)).toBe(200);
    await pair.standby.query('UPDATE api_keys SET revoked_at = now() WHERE id = $1', [second.id]);
    await becomes(() => send(second.key), 401, NOTIFIED_WITHIN);

    const tally = await load.stop();
    expect(Object.keys(tally).filter((response) => !RESPONSES.includes(response))).toEqual([]);
    expect(await lost(load)).toEqual([]);
  });

  it('sends what happens afterwards to webhooks within 10 s', async () => {
    const receiver = await WebhookReceiver.start();
    await start(true);
    const { key } = await newKey();
    expect(await post(key, 'webhooks', { url: receiver.url })).toBe(201);
    const isSent = (name: string) => () => receiver.received.some(({ body }) => body.includes(name));
    expect(await post(key, 'pets', { name: 'before', categoryId: 1 })).toBe(201);
    await eventually(isSent('before'));

    await pair.primary.kill();
    await pair.promote();
    await becomes(() => post(key, 'pets', { name: 'after', categoryId: 1 }), 201, BACK_WITHIN);
    await eventually(isSent('after'), seconds(10));
    receiver.stop();
  });

  it('closes its connections to a former primary that is now read-only', async () => {
    await start(false);
    const { key } = await newKey();
    const load = new Load(port, key);
    await responds(load, 'POST 201', 50);

    await pair.primary.set('default_transaction_read_only', 'on');
    await responds(load, 'POST 503 service_unavailable', 0);
    await pair.promote();
    const before = load.created.length;
    await eventually(
      () => load.created.length > before,
      BACK_WITHIN,
      () => load.tally,
    );
    // A listening connection notices the failure by its next probe, and an unused one is closed after its idle timeout.
    await becomes(async () => [await listeners(), await connectionsToFormer()], [1, 0]);

    const tally = await load.stop();
    expect(Object.keys(tally).filter((response) => !RESPONSES.includes(response))).toEqual([]);
    expect(await lost(load)).toEqual([]);
  });

  const count = (rows: Record<string, unknown>[]): number => Number(rows[0]?.count);
  const listeners = async () =>
    count(
      await pair.standby.query(
        `SELECT count(*) FROM pg_stat_activity WHERE application_name = '${PREFIX} key changes' AND state = 'idle' AND query <> ''`,
      ),
    );
  /** Those of the service, not the one of the process that started the server. */
  const connectionsToFormer = async () =>
    count(
      await pair.primary.query(
        `SELECT count(*) FROM pg_stat_activity WHERE application_name IN ('${PREFIX}', '${PREFIX} key changes')`,
      ),
    );
});
