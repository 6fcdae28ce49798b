import { setImmediate as nextPass } from 'node:timers/promises';
import { eventually } from '../support/eventually.js';
import { Petstore } from '../support/petstore.js';
import { postOnce, type ServiceProcess, ServiceProcesses } from '../support/service-process.js';

let petstore: Petstore;
let key: string;
let services: ServiceProcesses;

beforeAll(async () => {
  petstore = await Petstore.start();
  services = await ServiceProcesses.on(petstore.databaseUrl);
});
afterAll(async () => {
  await services.stop();
  await petstore.stop();
});

/** 50 pets whose names begin with its Idempotency-Key. */
const postBatch = (service: ServiceProcess, name: string) =>
  postOnce(
    service,
    '/v1/pets/batch',
    { key, idempotencyKey: name },
    { pets: Array.from({ length: 50 }, (_, i) => ({ name: `${name}:${i}`, categoryId: 1 })) },
  );

const petsOfBatch = async (name: string) =>
  (await petstore.query('SELECT 1 FROM pets WHERE name LIKE $1', [`${name}:%`])).length;

describe('POST /v1/pets/batch with an Idempotency-Key', () => {
  it('adds all pets of a batch or none when its process is killed at any of 100 moments, and a retry adds what misses', async () => {
    const survivor = await services.start();
    const batches = 10;
    let addedBeforeTheKill = 0;
    for (let moment = 0; moment < 10; moment++) {
      const victim = await services.start();
      key = await petstore.key(); // of each key, ten batches in two seconds are taken
      const names = Array.from({ length: batches }, (_, i) => `batch-${moment}-${i}`);
      const bodies = new Map<string, string>();
      const sent = names.map(async (name) => {
        const response = await postBatch(victim, name).catch(() => undefined);
        const body = await response?.text().catch(() => undefined);
        if (body !== undefined) bodies.set(name, body);
      });
      await eventually(async () => (await insertions()) > 0 || bodies.size > 0);
      while (bodies.size < moment) await nextPass(); // one more each time is complete, one less has begun
      victim.program.signal('SIGKILL');
      await Promise.all(sent);
      await victim.program.ended;
      for (const name of names) {
        let retried: Response | undefined;
        await eventually(async () => {
          const pets = await petsOfBatch(name);
          expect([0, 50]).toContain(pets);
          retried = await postBatch(survivor, name);
          if (retried.status === 201 && pets === 50) addedBeforeTheKill++;
          return ![409, 429].includes(retried.status);
        });
        expect(retried?.status).toBe(201);
        const text = await retried?.text();
        expect(text).toBe(bodies.get(name) ?? text);
        expect(await petsOfBatch(name)).toBe(50);
      }
    }
    const [events] = await petstore.query(
      `SELECT count(*)::int AS count FROM (SELECT data FROM events UNION ALL SELECT data FROM event_outbox) AS e
       WHERE data ->> 'name' LIKE 'batch-%'`,
    );
    expect(events).toEqual({ count: 10 * batches * 50 });
    expect(addedBeforeTheKill).toBeGreaterThan(0);
    expect(addedBeforeTheKill).toBeLessThan(10 * batches);
  });
});

/** Transactions that have inserted pets, or do so now. */
async function insertions(): Promise<number> {
  const [row] = await petstore.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_locks WHERE relation = 'pets'::regclass AND mode = 'RowExclusiveLock'`,
  );
  return row?.count ?? 0;
}
