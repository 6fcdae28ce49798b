import { Agent, request } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { Petstore } from '../../support/petstore.js';
import { type ServiceProcess, ServiceProcesses } from '../../support/service-process.js';

const BURST = 150;

interface Outgoing {
  readonly key: string;
  readonly method?: string;
  readonly path?: string;
  readonly body?: string;
  readonly idempotencyKey?: string;
  /** Milliseconds after which the client closes the connection. */
  readonly abortAfter?: number;
}

let petstore: Petstore;
let services: ServiceProcesses;
let service: ServiceProcess;
let categoryId: number;
let agent: Agent;
let count = 0;

beforeAll(async () => {
  petstore = await Petstore.start();
  services = await ServiceProcesses.on(petstore.databaseUrl);
  service = await services.start();
  agent = new Agent({ keepAlive: true });
  const [category] = await petstore.query<{ id: number }>(
    `INSERT INTO categories (name, name_key) VALUES ('Dogs', 'dogs') RETURNING id`,
  );
  categoryId = Number(category?.id);
});
afterAll(async () => {
  agent.destroy();
  await services.stop();
  await petstore.stop();
});

/** @returns the status, or the error of the connection */
function send({
  key,
  method = 'GET',
  path = '/v1/pets?limit=20',
  body,
  idempotencyKey,
  abortAfter,
}: Outgoing): Promise<number | string> {
  return new Promise((resolve) => {
    const headers = {
      Authorization: `Bearer ${key}`,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
    };
    const outgoing = request(`${service.url}${path}`, { method, headers, agent }, (response) => {
      response.resume().once('close', () => {
        resolve(response.statusCode ?? 0);
      });
    });
    outgoing.on('error', ({ message }) => {
      resolve(message);
    });
    if (abortAfter !== undefined)
      void setTimeout(abortAfter).then(() => {
        outgoing.destroy();
      });
    outgoing.end(body);
  });
}

const pet = () => `{"name":"Rex","categoryId":1}`;
const INVALID = `{${Array.from({ length: 1_300 }, (_, i) => `"a${i}":1`).join()}}`;

const BURSTS: readonly (readonly [string, (i: number) => Omit<Outgoing, 'key'>, readonly number[]])[] = [
  ['lists', () => ({}), [200]],
  ['creations', () => ({ method: 'POST', path: '/v1/pets', body: pet() }), [201]],
  [
    'changes of one category',
    (i) => ({ method: 'PATCH', path: `/v1/categories/${categoryId}`, body: `{"name":"Dogs ${i}"}` }),
    [200],
  ],
  ['bodies with 1,300 unknown members', () => ({ method: 'POST', path: '/v1/pets', body: INVALID }), [400]],
  [
    'equal Idempotency-Keys',
    () => ({ method: 'POST', path: '/v1/pets', body: pet(), idempotencyKey: 'equal' }),
    [201, 409],
  ],
];

/** What another key gets until the burst has ended. How long it waits depends on the machine, so that is only printed. */
async function neighbour(burst: () => readonly Promise<unknown>[]): Promise<(number | string)[]> {
  const key = await petstore.key();
  await send({ key }); // its look-up takes no part
  const kinds: (() => Omit<Outgoing, 'key'>)[] = [
    () => ({}),
    () => ({ method: 'POST', path: '/v1/pets', body: pet() }),
    () => ({ method: 'POST', path: '/v1/pets', body: pet(), idempotencyKey: `neighbour-${++count}` }),
  ];
  const statuses = new Set<number | string>();
  const times: number[] = [];
  let ended = 0;
  for (const request of burst()) void request.then(() => ended++);
  for (let i = 0; ended < BURST || i < kinds.length; i++) {
    const began = performance.now();
    statuses.add(await send({ key, ...kinds[i % kinds.length]?.() }));
    times.push(performance.now() - began);
  }
  times.sort((a, b) => a - b);
  const [p50, p99] = [0.5, 0.99].map((part) => (times[Math.floor(times.length * part)] ?? 0).toFixed(0));
  process.stderr.write(`${times.length} requests of another key: p50 ${p50} ms, p99 ${p99} ms.\n`);
  return [...statuses].sort();
}

const remainingOf = async (key: string): Promise<number> => {
  const response = await fetch(`${service.url}/v1/rate-limit`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  return Number(response.headers.get('X-RateLimit-Remaining'));
};

describe(`${BURST} requests of one key at the same time`, () => {
  it.each(BURSTS)(
    'are all answered, cost as many of its quota, and leave others their share: %s',
    async (_, burst, expected) => {
      const key = await petstore.key('enterprise', { perMinute: 5_000, perDay: 1_000_000 });
      let sent: Promise<number | string>[] = [];
      const others = await neighbour(
        () => (sent = Array.from({ length: BURST }, (_unused, i) => send({ key, ...burst(i) }))),
      );
      expect(others).toEqual([200, 201]);
      const answered = new Set(await Promise.all(sent));
      expect([...answered].filter((status) => !expected.includes(Number(status)))).toEqual([]);
      expect(await remainingOf(key)).toBe(5_000 - BURST);
    },
  );

  // That the waiting ones never run is in client-slots.e2e-spec.ts: how many of these are waiting after 50 ms depends on the machine.
  it('leave others their share if they are aborted, too', async () => {
    const key = await petstore.key();
    const body = `{"name":"Aborted","categoryId":1}`;
    const abort = () =>
      Array.from({ length: BURST }, () =>
        send({ key, method: 'POST', path: '/v1/pets', body, abortAfter: 50 }),
      );
    expect(await neighbour(abort)).toEqual([200, 201]);
    expect(await send({ key })).toBe(200);
  });
});
