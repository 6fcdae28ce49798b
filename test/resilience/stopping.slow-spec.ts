import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { seconds } from '../../src/platform/kernel/clock/duration.js';
import { becomes, eventually } from '../support/eventually.js';
import { Petstore } from '../support/petstore.js';
import { type Ended, emptyFolder, Program, SERVICE } from '../support/program.js';
import { whileLocked } from '../support/table-lock.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { bearer, requestBytes } from '../support/wire.js';

const LOCAL = { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' };
const GRACE = seconds(3); // enough for some requests on a busy machine

let petstore: Petstore;
let key: string;
let folder: Awaited<ReturnType<typeof emptyFolder>>;
let service: Program;
let port: number;

beforeAll(async () => {
  petstore = await Petstore.start({ env: { ...LOCAL, WEBHOOK_WORKER: 'off' } }); // for its database and keys in it
  key = await petstore.key();
  folder = await emptyFolder();
});
afterAll(async () => {
  await petstore.stop();
  await folder.remove();
});

async function start(grace = GRACE): Promise<void> {
  const env = {
    DATABASE_URL: petstore.databaseUrl,
    PORT: '0',
    SHUTDOWN_GRACE_SECONDS: String(grace / 1000),
    ...LOCAL,
  };
  service = new Program(SERVICE, [], { cwd: folder.path, env });
  await service.prints(/listens/);
  port = Number(/http:\/\/127\.0\.0\.1:(\d+)/.exec(service.stdout)?.[1]);
}
afterEach(async () => {
  service.signal('SIGKILL');
  await service.ended;
});

const ask = (path: string) =>
  fetch(`http://127.0.0.1:${port}${path}`, { headers: { Authorization: `Bearer ${key}` } });

const isClosed = () =>
  ask('/health/live').then(
    () => false,
    () => true,
  );

/** A connection with everything received so far. */
async function open(
  bytes: Buffer | string,
): Promise<{ socket: Socket; received(): string; closed(): boolean }> {
  let received = '';
  let closed = false;
  const socket = connect(port, '127.0.0.1');
  socket.on('data', (chunk) => (received += chunk.toString()));
  socket.on('close', () => (closed = true)).on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(bytes);
  return { socket, received: () => received, closed: () => closed };
}

async function timed(ended: Promise<Ended>): Promise<Ended & { after: number }> {
  const began = performance.now();
  return { ...(await ended), after: performance.now() - began };
}

async function waitsForPets(): Promise<boolean> {
  const waiting = await petstore.query(
    `SELECT FROM pg_locks WHERE relation = 'pets'::regclass AND NOT granted`,
  );
  return waiting.length > 0;
}

describe('SIGTERM', () => {
  it('starts the grace period: not ready, but requests are served and close their connection', async () => {
    await start();
    const idle = await open(requestBytes({ path: '/health/live' }));
    await eventually(() => idle.received().includes('"ok"'));
    service.signal('SIGTERM');
    const ended = timed(service.ended);
    await becomes(async () => (await ask('/health/ready')).status, 503);
    expect(await (await ask('/health/ready')).json()).toMatchObject({
      code: 'service_unavailable',
      message: 'Not ready: the service is stopping.',
      status: 503,
    });
    expect((await ask('/health/live')).status).toBe(200);
    const response = await ask('/v1/pets');
    expect(response.status).toBe(200);
    expect(response.headers.get('connection')).toBe('close');
    expect(idle.closed()).toBe(false);
    const { code, stdout, stderr, after } = await ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const stopping = stdout.slice(stdout.indexOf('SIGTERM'));
    expect(stopping).not.toMatch(/"level":"(warn|error)"/); // not ready is what a stop intends
    expect(after).toBeGreaterThan(GRACE - 100);
    expect(after).toBeLessThan(GRACE + seconds(4)); // it does not wait for requests
    expect(idle.closed()).toBe(true);
    await expect(ask('/health/live')).rejects.toThrow();
  });

  it('lets a request that runs at the end of the grace period finish', async () => {
    await start(0);
    let waiting: Awaited<ReturnType<typeof open>> | undefined;
    await whileLocked(petstore.databaseUrl, 'pets', async () => {
      waiting = await open(requestBytes({ path: '/v1/pets', headers: [bearer(key)] }));
      await becomes(waitsForPets, true);
      service.signal('SIGTERM');
      await becomes(isClosed, true);
    });
    await eventually(() => waiting?.received().includes('HTTP/1.1 200') === true);
    expect(waiting?.received()).toMatch(/^Connection: close\r$/m);
    expect(await service.ended).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('SIGTERM while webhooks are delivered', () => {
  /** How many deliveries of a webhook are sent at the same time. */
  const BATCH = 8;
  let receiver: WebhookReceiver;
  beforeEach(async () => {
    receiver = await WebhookReceiver.start();
    await start();
    const client = petstore.client(await petstore.key());
    await client.post('/v1/webhooks').send({ url: receiver.url }).expect(201);
  });
  afterEach(async () => {
    receiver.stop();
    await petstore.query('TRUNCATE webhooks, webhook_deliveries, event_outbox, events CASCADE');
  });

  const record = (count: number) =>
    petstore.query(
      `INSERT INTO event_outbox (type, version, occurred_at, data)
       SELECT 'pet.created', 1, now(), json_build_object('id', n) FROM generate_series(1, $1::int) AS n`,
      [count],
    );
  const isReady = async () => (await ask('/health/ready')).status === 200;

  it('is not ready at once, and serves requests for the grace period, beside an endpoint that does not answer', async () => {
    let aborted = 0;
    receiver.respond = (response) => response.on('close', () => (aborted += 1));
    await record(BATCH);
    await receiver.message(BATCH - 1);
    service.signal('SIGTERM');
    const ended = timed(service.ended);
    await becomes(isReady, false);
    expect(aborted).toBe(0);
    await eventually(() => aborted === BATCH);
    expect((await ask('/v1/pets')).status).toBe(200);
    const { code, after } = await ended;
    expect(code).toBe(0);
    expect(after).toBeGreaterThan(GRACE - 100);
    expect(after).toBeLessThan(GRACE + seconds(4));
    expect(receiver.received).toHaveLength(BATCH); // the rest is left to other processes
  });

  it('sends no further messages than those that are under way', async () => {
    await record(2_000);
    await receiver.message(0);
    service.signal('SIGTERM');
    await becomes(isReady, false);
    const sent = receiver.received.length;
    expect(await service.ended).toMatchObject({ code: 0 });
    expect(receiver.received.length).toBeLessThanOrEqual(sent + BATCH);
    const pending = await petstore.query(`SELECT FROM webhook_deliveries WHERE state = 'pending'`);
    expect(pending).toHaveLength(2_000 - receiver.received.length);
  });
});

describe('Ctrl-C', () => {
  it('ends the service without a grace period', async () => {
    await start();
    await ask('/v1/pets');
    service.signal('SIGINT');
    const { code, after } = await timed(service.ended);
    expect(code).toBe(0);
    expect(after).toBeLessThan(GRACE);
  });

  it('ends it immediately the second time, even during a request', async () => {
    await start();
    const half = await open('GET /v1/pets HTTP/1.1\r\nHost: petstore.test\r\n');
    await ask('/v1/pets'); // ensures that the partial request has arrived
    service.signal('SIGINT');
    service.signal('SIGINT'); // npm forwards the signal that the terminal has sent to both: it is the same key press
    await eventually(() =>
      ask('/health/live').then(
        () => false,
        () => true,
      ),
    );
    expect(half.closed()).toBe(false);
    await eventually(() => {
      service.signal('SIGINT');
      return half.closed();
    });
    expect(await service.ended).toMatchObject({ code: 130 });
  });
});
