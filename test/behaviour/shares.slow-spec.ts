import { Agent, request } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { seconds } from '../../src/platform/clock/duration.js';
import { Petstore } from '../support/petstore.js';
import { type ServiceProcess, ServiceProcesses } from '../support/service-process.js';

const BURST = 300;

/**
 * What a neighbour's request may take: on a quiet machine less than 150 ms; here with a margin for a busy one. Without turns,
 * a neighbour waited for the whole burst: several seconds.
 */
const BOUND = seconds(1);

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

/** What another key gets, and how long it waits, until the burst has ended. */
async function neighbour(until: Promise<unknown>) {
  const key = await petstore.key();
  const kinds: (() => Omit<Outgoing, 'key'>)[] = [
    () => ({}),
    () => ({ method: 'POST', path: '/v1/pets', body: pet() }),
    () => ({ method: 'POST', path: '/v1/pets', body: pet(), idempotencyKey: `neighbour-${++count}` }),
  ];
  const times: number[] = [];
  const statuses = new Set<number | string>();
  const over = new AbortController();
  void until.then(() => {
    over.abort();
  });
  for (let i = 0; !over.signal.aborted || times.length < 3; i++) {
    const began = performance.now();
    statuses.add(await send({ key, ...kinds[i % kinds.length]?.() }));
    times.push(performance.now() - began);
  }
  times.sort((a, b) => a - b);
  return { statuses: [...statuses].sort(), p99: times[Math.floor(times.length * 0.99)] ?? 0 };
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
      const sent = Promise.all(Array.from({ length: BURST }, (_unused, i) => send({ key, ...burst(i) })));
      const { statuses, p99 } = await neighbour(sent);
      expect([...new Set(await sent)].filter((status) => !expected.includes(Number(status)))).toEqual([]);
      expect(await remainingOf(key)).toBe(5_000 - BURST);
      expect(statuses).toEqual([200, 201]);
      expect(p99).toBeLessThan(BOUND);
    },
  );

  it('leave others their share if they are aborted, too', async () => {
    const key = await petstore.key();
    const body = pet();
    const aborted = Promise.all(
      Array.from({ length: BURST }, () =>
        send({ key, method: 'POST', path: '/v1/pets', body, abortAfter: 50 }),
      ),
    );
    const { statuses, p99 } = await neighbour(aborted);
    expect(statuses).toEqual([200, 201]);
    expect(p99).toBeLessThan(BOUND);
    expect(await send({ key })).toBe(200);
  });
});
