import { jest } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { Petstore } from '../support/petstore.js';
import { type ServiceProcess, ServiceProcesses } from '../support/service-process.js';

jest.setTimeout(120_000); // real processes on a machine that is busy with the other suites

let petstore: Petstore;
let key: string;
let services: ServiceProcesses;

beforeAll(async () => {
  petstore = await Petstore.start();
  services = await ServiceProcesses.on(petstore.databaseUrl);
  key = await petstore.key();
});
afterAll(async () => {
  await services.stop();
  await petstore.stop();
});

/** Sends a request for an animal whose name is its Idempotency-Key. */
const post = ({ url }: ServiceProcess, name: string) =>
  fetch(`${url}/v1/pets`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${key}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': name,
    },
    body: JSON.stringify({ name, categoryId: 1 }),
  });

/** As a client does that wants its animal: while the first request is running, it asks again. */
async function insist(service: ServiceProcess, name: string): Promise<string> {
  let answer: Response | undefined;
  await eventually(async () => (answer = await post(service, name)).status !== 409);
  expect(answer?.status).toBe(201);
  return answer?.text() ?? '';
}

async function animals(name: string): Promise<number> {
  return (await petstore.query('SELECT 1 FROM pets WHERE name = $1', [name])).length;
}

describe('POST /v1/pets with an Idempotency-Key', () => {
  it('adds one animal for 50 requests at the same time to two processes, 10 times out of 10', async () => {
    const [one, other] = await Promise.all([services.start(), services.start()]);
    for (let round = 0; round < 10; round++) {
      const name = `two processes ${round}`.replaceAll(' ', '-');
      const answers = await Promise.all(
        Array.from({ length: 50 }, async (_, i) => {
          const answer = await post(i % 2 ? one : other, name);
          return { status: answer.status, body: await answer.text() };
        }),
      );
      const created = answers.filter(({ status }) => status === 201);
      expect(answers.filter(({ status }) => status !== 201 && status !== 409)).toEqual([]);
      expect(new Set(created.map(({ body }) => body)).size).toBe(1);
      expect(await insist(one, name)).toBe(created[0]?.body);
      expect(await insist(other, name)).toBe(created[0]?.body);
      expect(await animals(name)).toBe(1);
    }
  });

  it('adds one animal or none when its process is killed, and the retry adds what is missing', async () => {
    const survivor = await services.start();
    for (const answersBeforeTheEnd of [0, 3, 10]) {
      const victim = await services.start();
      const names = Array.from({ length: 30 }, (_, i) => `killed-${answersBeforeTheEnd}-${i}`);
      const answered = new Map<string, string>();
      const kill = () => {
        if (answered.size >= answersBeforeTheEnd) victim.program.signal('SIGKILL');
      };
      const sent = names.map(async (name) => {
        const answer = await post(victim, name).catch(() => undefined);
        const body = await answer?.text().catch(() => undefined);
        if (body !== undefined) answered.set(name, body);
        kill();
      });
      if (answersBeforeTheEnd === 0) {
        await eventually(async () => (await animals('killed-0-0')) > 0 || (await locks()) > 0);
        kill();
      }
      await Promise.all(sent);
      await victim.program.ended;
      for (const name of names) expect(await animals(name)).toBeLessThanOrEqual(1);
      const retried = await Promise.all(names.map((name) => insist(survivor, name)));
      for (const [i, name] of names.entries()) {
        expect(await animals(name)).toBe(1);
        expect(retried[i]).toBe(answered.get(name) ?? retried[i]);
      }
    }
  });
});

/** Requests with a key that are being worked on. */
async function locks(): Promise<number> {
  return (await petstore.query(`SELECT 1 FROM pg_locks WHERE locktype = 'advisory'`)).length;
}
