import { eventually } from '../../support/eventually.js';
import { Petstore } from '../../support/petstore.js';
import { freePort } from '../../support/free-port.js';
import { PostgresServer } from '../../support/postgres-server.js';
import { COMMAND_LINE, emptyFolder, Program, run, SERVICE } from '../../support/program.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';

interface Delivery {
  readonly state: string;
  readonly attempts: readonly { readonly milliseconds: number }[];
}

const LOCAL = { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' };

describe('workers in processes of their own', () => {
  let petstore: Petstore;
  let receiver: WebhookReceiver;
  let client: ReturnType<Petstore['client']>;
  let folder: Awaited<ReturnType<typeof emptyFolder>>;
  const workers: Program[] = [];

  beforeAll(async () => {
    petstore = await Petstore.start({ env: { ...LOCAL, WEBHOOK_WORKER: 'off' } });
    petstore.clock.set(Date.now());
    folder = await emptyFolder();
  });
  afterAll(async () => {
    await petstore.stop();
    await folder.remove();
  });
  beforeEach(async () => {
    receiver = await WebhookReceiver.start();
    client = petstore.client(await petstore.key());
  });
  afterEach(async () => {
    for (const worker of workers.splice(0)) {
      worker.signal('SIGKILL');
      await worker.ended;
    }
    receiver.stop();
    await petstore.query('TRUNCATE webhooks, webhook_deliveries, event_outbox, events CASCADE');
  });

  const startWorker = async (): Promise<Program> => {
    const env = { DATABASE_URL: petstore.databaseUrl, ...LOCAL };
    const worker = new Program(COMMAND_LINE, ['worker'], { cwd: folder.path, env });
    workers.push(worker);
    await worker.prints(/The worker delivers webhooks\./);
    return worker;
  };
  const create = async (url: string): Promise<number> => {
    const { body } = await client.post('/v1/webhooks').send({ url }).expect(201);
    return (body as { id: number }).id;
  };
  const record = (count: number) =>
    petstore.query(
      `INSERT INTO event_outbox (type, version, occurred_at, data)
       SELECT 'pet.created', 1, now(), json_build_object('id', n) FROM generate_series(1, $1::int) AS n`,
      [count],
    );
  const newest = async (id: number) =>
    ((await client.get(`/v1/webhooks/${id}/deliveries`)).body as Delivery[])[0];
  const ids = () => receiver.received.map(({ headers }) => headers['webhook-id']);

  it('resend the deliveries of a killed worker, with the same id', async () => {
    receiver.respond = () => undefined; // it never responds
    const id = await create(receiver.url);
    await record(1);
    const killed = await startWorker();
    await receiver.message(0);
    killed.signal('SIGKILL');
    await killed.ended;
    receiver.respond = 204;
    // It has leased the webhook and claimed the delivery for 20 s.
    await petstore.query(`UPDATE webhooks SET busy_until = now()`);
    await petstore.query(
      `UPDATE webhook_deliveries SET next_attempt_at = now() WHERE next_attempt_at IS NOT NULL`,
    );
    await startWorker();
    await eventually(() => receiver.received.length === 2);
    expect(new Set(ids()).size).toBe(1);
    await eventually(async () => (await newest(id))?.state === 'delivered');
  });

  it('give an endpoint 10 s to respond', async () => {
    receiver.respond = () => undefined; // it never responds
    const id = await create(receiver.url);
    await record(1);
    await startWorker();
    await eventually(async () => (await newest(id))?.attempts.length === 1);
    const attempt = (await newest(id))?.attempts[0];
    expect(attempt).toMatchObject({ error: 'timeout' });
    expect(attempt?.milliseconds).toBeGreaterThan(9_900);
    expect(attempt?.milliseconds).toBeLessThan(15_000); // on a busy machine
  });

  it('send no delivery twice, concurrently or after a success', async () => {
    const open = new Set<string>();
    const twice: string[] = [];
    receiver.respond = (response) => {
      const id = String(response.req.headers['webhook-id']);
      if (open.has(id)) twice.push(id);
      open.add(id);
      setTimeout(() => {
        open.delete(id);
        response.writeHead(204).end();
      }, 5);
    };
    await create(receiver.url);
    await Promise.all([startWorker(), startWorker(), startWorker()]);
    for (let batch = 1; batch <= 5; batch++) {
      await record(100);
      await eventually(() => new Set(ids()).size >= batch * 50);
    }
    await eventually(() => new Set(ids()).size === 500);
    expect(ids()).toHaveLength(500);
    expect(twice).toEqual([]);
  });

  it('recover after PostgreSQL has closed all their connections, and end with exit code 0', async () => {
    const id = await create(receiver.url);
    const worker = await startWorker();
    await record(1);
    await eventually(async () => (await newest(id))?.state === 'delivered');
    await petstore.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
    );
    await record(1);
    await eventually(() => receiver.received.length === 2);
    worker.signal('SIGTERM');
    expect(await worker.ended).toMatchObject({ code: 0, stderr: '' });
  });

  it('deliver for one key while all webhooks of another key hang or switch protocols', async () => {
    receiver.respond = (response) => {
      if (response.req.url === '/hook/upgrade')
        response.writeHead(101, { Connection: 'Upgrade', Upgrade: 'websocket' }).flushHeaders();
      else if (response.req.url === '/hook') response.writeHead(204).end();
    };
    await Promise.all(Array.from({ length: 10 }, () => create(`${receiver.url}/dead`)));
    await Promise.all(Array.from({ length: 10 }, () => create(`${receiver.url}/upgrade`)));
    client = petstore.client(await petstore.key());
    const id = await create(receiver.url);
    await startWorker();
    const received = () => receiver.received.filter(({ url }) => url === '/hook').length;
    for (let batch = 1; batch <= 2; batch++) {
      await record(50); // 1,000 deliveries to the others
      await eventually(() => received() === 50 * batch);
    }
    await eventually(async () => (await newest(id))?.state === 'delivered');
  });

  it('deliver to an endpoint while more endpoints hang than a worker serves at a time', async () => {
    receiver.respond = (response) => {
      if (response.req.url === '/hook') response.writeHead(204).end();
    };
    const dead = await create(`${receiver.url}/dead`);
    await petstore.query(
      `INSERT INTO webhooks (api_key_id, url, types, state, secret, after_event_id, created_at)
         SELECT api_key_id, url, types, state, secret, after_event_id, created_at
         FROM webhooks CROSS JOIN generate_series(1, 150) WHERE id = $1`,
      [dead],
    );
    client = petstore.client(await petstore.key());
    await create(receiver.url);
    await startWorker();
    await record(20);
    await eventually(() => receiver.received.filter(({ url }) => url === '/hook').length === 20);
  });

  it('deliver to a healthy webhook within 5 s while ten keys have 20 webhooks each that respond after 9.5 s', async () => {
    receiver.respond = (response) => {
      if (response.req.url === '/hook') response.writeHead(204).end();
      else setTimeout(() => response.writeHead(200).end(), 9_500);
    };
    for (let i = 0; i < 10; i++) {
      client = petstore.client(await petstore.key('free'));
      const slow = await create(`${receiver.url}/slow`);
      await petstore.query(
        `INSERT INTO webhooks (api_key_id, url, types, state, secret, after_event_id, created_at)
         SELECT api_key_id, url, types, state, secret, after_event_id, created_at
         FROM webhooks CROSS JOIN generate_series(1, 19) WHERE id = $1`,
        [slow],
      );
    }
    client = petstore.client(await petstore.key('free'));
    await create(receiver.url);
    await startWorker();
    const received = () => receiver.received.filter(({ url }) => url === '/hook').length;
    await record(1);
    await eventually(() => receiver.received.length > 50); // the slow ones are being served
    const waits: number[] = [];
    for (let i = 0; i < 10; i++) {
      const before = received();
      const began = performance.now();
      await record(1);
      await eventually(() => received() > before);
      waits.push(performance.now() - began);
    }
    expect(Math.max(...waits)).toBeLessThan(5_000);
  });

  it('deliver to an endpoint while others hang with 200 events each', async () => {
    receiver.respond = (response) => {
      if (response.req.url === '/hook') response.writeHead(204).end();
    };
    await Promise.all([1, 2, 3].map((n) => create(`${receiver.url}/dead/${n}`)));
    const alive = await create(receiver.url);
    await record(200);
    await startWorker();
    const delivered = async (): Promise<number> => {
      const [row] = await petstore.query<{ count: number }>(
        `SELECT count(*)::int FROM webhook_deliveries WHERE webhook_id = $1 AND state = 'delivered'`,
        [alive],
      );
      return row?.count ?? 0;
    };
    await eventually(async () => (await delivered()) === 200);
    // New events are delivered to it immediately, although 600 deliveries to the others are due.
    const dueToOthers = await petstore.query(
      `SELECT FROM webhook_deliveries WHERE webhook_id <> $1 AND state = 'pending'`,
      [alive],
    );
    expect(dueToOthers).toHaveLength(600);
    const before = performance.now();
    await record(1);
    await eventually(async () => (await delivered()) === 201);
    expect(performance.now() - before).toBeLessThan(30_000);
  });
});

describe('a service and a worker whose PostgreSQL is frozen', () => {
  let server: PostgresServer;
  let receiver: WebhookReceiver;
  let folder: Awaited<ReturnType<typeof emptyFolder>>;
  const programs: Program[] = [];

  beforeAll(async () => {
    folder = await emptyFolder();
    receiver = await WebhookReceiver.start();
    server = await PostgresServer.start();
  });
  afterAll(async () => {
    for (const program of programs) program.signal('SIGKILL');
    receiver.stop();
    await server.stop();
    await folder.remove();
  });

  it('recover when it responds again, and exit with code 0 within 10 s while it does not', async () => {
    const port = await freePort();
    const env = { DATABASE_URL: server.url, PORT: String(port), ...LOCAL };
    const keys = ['keys', 'create', '--plan', 'business', '--name', 'x', '--json'];
    await run(COMMAND_LINE, ['migrate'], { cwd: folder.path, env });
    const created = await run(COMMAND_LINE, keys, { cwd: folder.path, env });
    const { key } = JSON.parse(created.stdout) as { key: string };
    programs.push(new Program(SERVICE, [], { cwd: folder.path, env }));
    await programs[0]?.prints(/listens/);
    programs.push(new Program(COMMAND_LINE, ['worker'], { cwd: folder.path, env }));
    await programs[1]?.prints(/delivers/);
    const post = (path: string, body: object) =>
      fetch(`http://127.0.0.1:${port}/v1/${path}`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
    expect((await post('webhooks', { url: receiver.url })).status).toBe(201);
    const isDelivered = async (name: string): Promise<boolean> => {
      if ((await post('pets', { name, categoryId: 7 })).status !== 201) return false;
      await eventually(() => receiver.received.some(({ body }) => body.includes(name)));
      return true;
    };
    expect(await isDelivered('before')).toBe(true);
    let ends = 0;
    for (const program of programs)
      program.ended.then(
        () => (ends += 1),
        () => undefined, // below, `ended` says so again
      );
    const freeze = async () => {
      await server.freeze();
      await eventually(async () => (await post('pets', { name: 'lost', categoryId: 7 })).status === 503);
    };
    await freeze();
    await programs[1]?.prints(/Could not look for waiting work/);
    await server.thaw();
    await eventually(() => isDelivered('after'));

    await freeze();
    expect(ends).toBe(0); // only the signal ends them
    const began = performance.now();
    for (const program of programs) program.signal('SIGTERM');
    const ended = await Promise.all(programs.map((program) => program.ended));
    expect(ended.map(({ code, stderr }) => (code === 0 ? 0 : stderr))).toEqual([0, 0]);
    expect(ended.map(({ stderr }) => stderr)).toEqual(['', '']);
    expect(performance.now() - began).toBeLessThan(15_000); // a busy machine needs more than the 10 s that are promised
  });
});
