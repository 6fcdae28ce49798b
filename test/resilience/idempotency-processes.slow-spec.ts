import { seconds } from '../../src/platform/kernel/clock/duration.js';
import { eventually } from '../support/eventually.js';
import { Petstore } from '../support/petstore.js';
import { end, postOnce, type ServiceProcess, ServiceProcesses } from '../support/service-process.js';
import { TcpProxy } from '../support/tcp-proxy.js';

let petstore: Petstore;
let key: string;
let services: ServiceProcesses;
/** Two that each test finds running. */
let replicas: [ServiceProcess, ServiceProcess];

beforeAll(async () => {
  petstore = await Petstore.start();
  services = await ServiceProcesses.on(petstore.databaseUrl);
  replicas = await Promise.all([services.start(), services.start()]);
  key = await petstore.key();
});
afterAll(async () => {
  await services.stop();
  await petstore.stop();
});

/** Sends a request for a pet whose name is its Idempotency-Key. */
const post = (service: ServiceProcess, name: string) =>
  send(service, '/v1/pets', name, { name, categoryId: 1 });

const send = (service: ServiceProcess, path: string, idempotencyKey: string, body: object) =>
  postOnce(service, path, { key, idempotencyKey }, body);

/** Retries while the first request is running, like a client. */
async function insist(service: ServiceProcess, name: string): Promise<string> {
  let response: Response | undefined;
  await eventually(async () => (response = await post(service, name)).status !== 409);
  expect(response?.status).toBe(201);
  return response?.text() ?? '';
}

async function petsNamed(name: string): Promise<number> {
  return (await petstore.query('SELECT 1 FROM pets WHERE name = $1', [name])).length;
}

describe('POST /v1/pets with an Idempotency-Key', () => {
  it('adds one pet for 50 concurrent requests to two processes, three times out of three', async () => {
    const [one, other] = replicas;
    for (let round = 0; round < 3; round++) {
      const name = `two processes ${round}`.replaceAll(' ', '-');
      const responses = await Promise.all(
        Array.from({ length: 50 }, async (_, i) => {
          const response = await post(i % 2 ? one : other, name);
          return { status: response.status, body: await response.text() };
        }),
      );
      const created = responses.filter(({ status }) => status === 201);
      expect(responses.filter(({ status }) => status !== 201 && status !== 409)).toEqual([]);
      expect(new Set(created.map(({ body }) => body)).size).toBe(1);
      expect(await insist(one, name)).toBe(created[0]?.body);
      expect(await insist(other, name)).toBe(created[0]?.body);
      expect(await petsNamed(name)).toBe(1);
    }
  });

  it('adds one pet or none when its process is killed, and a retry adds a missing one', async () => {
    const [survivor] = replicas;
    for (const responsesBeforeTheEnd of [0, 10]) {
      const victim = await services.start();
      const names = Array.from({ length: 30 }, (_, i) => `killed-${responsesBeforeTheEnd}-${i}`);
      const received = new Map<string, string>();
      const kill = () => {
        if (received.size >= responsesBeforeTheEnd) victim.program.signal('SIGKILL');
      };
      const sent = names.map(async (name) => {
        const response = await post(victim, name).catch(() => undefined);
        const body = await response?.text().catch(() => undefined);
        if (body !== undefined) received.set(name, body);
        kill();
      });
      if (responsesBeforeTheEnd === 0) {
        await eventually(async () => (await petsNamed('killed-0-0')) > 0 || (await locks()) > 0);
        kill();
      }
      await Promise.all(sent);
      await victim.program.ended;
      for (const name of names) expect(await petsNamed(name)).toBeLessThanOrEqual(1);
      const retried = await Promise.all(names.map((name) => insist(survivor, name)));
      for (const [i, name] of names.entries()) {
        expect(await petsNamed(name)).toBe(1);
        expect(retried[i]).toBe(received.get(name) ?? retried[i]);
      }
    }
  });
});

describe('POST /v1/store/orders with an Idempotency-Key', () => {
  it('returns the first response to each of 20 concurrent requests to three processes, one of them 25 ms from PostgreSQL', async () => {
    const proxy = await TcpProxy.to(petstore.databaseUrl, { delay: 25 });
    const far = await ServiceProcesses.on(proxy.url);
    try {
      const processes = [await far.start(), ...replicas] as const;
      for (let round = 0; round < 5; round++) {
        const [pet] = await petstore.query<{ id: number }>(
          `INSERT INTO pets (name, category_id, status) VALUES ('Rex', 1, 'available') RETURNING id`,
        );
        const responses = await Promise.all(
          Array.from({ length: 20 }, async (_, i) => {
            const service = processes[(i % 3) as 0 | 1 | 2];
            const response = await send(service, '/v1/store/orders', `order-${round}`, { petId: pet?.id });
            return { status: response.status, body: await response.text() };
          }),
        );
        const created = responses.filter(({ status }) => status === 201);
        const others = responses.filter(({ status }) => status !== 201);
        expect(created.length).toBeGreaterThan(0);
        expect(new Set(created.map(({ body }) => body)).size).toBe(1);
        for (const { body } of others)
          expect(JSON.parse(body)).toMatchObject({ code: 'idempotency_in_progress' });
      }
    } finally {
      await far.stop();
      proxy.remove();
    }
  });
});

describe('300 keys, each sent three times at once to two replicas, each of which is killed once', () => {
  it('are used once each, and a kill frees them long before PostgreSQL ends idle transactions, after 30 s', async () => {
    const names = Array.from({ length: 300 }, (_, i) => `many-${i}`);
    const ids = new Map<string, Set<string>>();
    let refusedFor = 0;
    const insistOn = async (name: string, first: number) => {
      let refusedSince: number | undefined;
      await eventually(async () => {
        const response = await post(replicas[(first++ % 2) as 0 | 1], name).catch(() => undefined);
        const text = await response?.text().catch(() => undefined);
        if (response?.status === 409) {
          refusedSince ??= performance.now();
          refusedFor = Math.max(refusedFor, performance.now() - refusedSince);
          return false;
        }
        refusedSince = undefined;
        if (response?.status !== 201 || text === undefined) return false; // killed, or PostgreSQL has just lost it
        ids.set(name, (ids.get(name) ?? new Set()).add(text));
        return true;
      });
    };
    const all = (async () => {
      for (let i = 0; i < names.length; i += 30)
        await Promise.all(
          names.slice(i, i + 30).flatMap((name) => [0, 1, 0].map((first) => insistOn(name, first))),
        );
    })();
    for (const [i, victim] of [...replicas].entries()) {
      await eventually(() => ids.size > (i + 1) * 50);
      await end(victim, 'SIGKILL');
      replicas[i as 0 | 1] = await services.start();
    }
    await all;
    expect([...ids.values()].filter(({ size }) => size !== 1)).toEqual([]);
    const [counts] = await petstore.query(
      `SELECT count(*)::int AS pets, count(DISTINCT name)::int AS names,
              (SELECT count(*)::int FROM (SELECT data FROM events UNION ALL SELECT data FROM event_outbox) AS e
               WHERE data ->> 'name' LIKE 'many-%') AS events
       FROM pets WHERE name LIKE 'many-%'`,
    );
    expect(counts).toEqual({ pets: 300, names: 300, events: 300 });
    expect(refusedFor).toBeLessThan(seconds(20));
  });
});

describe('a graceful stop in the middle of handlers with keys', () => {
  it('leaves one pet for each key', async () => {
    const [survivor] = replicas;
    for (let round = 0; round < 2; round++) {
      const stopping = await services.start();
      const names = Array.from({ length: 60 }, (_, i) => `stopped-${round}-${i}`);
      const sent = names.map((name) => post(stopping, name).then(undefined, () => undefined));
      await eventually(async () => (await petsNamed(names[0] ?? '')) > 0);
      stopping.program.signal('SIGTERM');
      await Promise.all(names.map((name) => insist(survivor, name)));
      await Promise.all([...sent, stopping.program.ended]);
      for (const name of names) expect(await petsNamed(name)).toBe(1);
    }
  });
});

/** Requests with a key that are in progress. */
async function locks(): Promise<number> {
  return (await petstore.query(`SELECT 1 FROM pg_locks WHERE locktype = 'advisory'`)).length;
}
