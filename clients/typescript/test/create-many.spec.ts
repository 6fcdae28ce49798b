import fc from 'fast-check';
import { CreateManyError, type NewPet, type Pet } from '../src/index.js';
import { RUNTIME } from '../src/runtime.js';
import { type Received, ScriptedService, TestTime } from './scripted-service.js';

let service: ScriptedService;
let time: TestTime;

beforeAll(async () => {
  service = await ScriptedService.start();
});
afterAll(() => {
  service.stop();
});
beforeEach(() => {
  service.reset();
  time = new TestTime();
});

const some = (count: number, name = 'Rex'): NewPet[] =>
  Array.from({ length: count }, (_, i) => ({ name: `${name} ${i}`, categoryId: BigInt(i) }));
const client = () => time.client(service.url);

/** Adds what it is sent, and remembers responses by key as the service does. */
class Store {
  readonly pets: string[] = [];
  readonly keys: string[] = [];
  private readonly responses = new Map<string, { body: string; response: object }>();

  constructor(
    public max: number,
    private readonly maxBytes = 16_384,
  ) {}

  /** The response to the request that has arrived. */
  respond(): { status: number; body: object } {
    const [{ body, headers }] = service.received.slice(-1) as [Received];
    const key = String(headers['idempotency-key']);
    this.keys.push(key);
    if (Buffer.byteLength(body) > this.maxBytes) return refusal(413, 'payload_too_large');
    const earlier = this.responses.get(key);
    if (earlier)
      return earlier.body === body
        ? { status: 201, body: earlier.response }
        : refusal(422, 'idempotency_key_reused');
    const { pets } = JSON.parse(body) as { pets: { name: string }[] };
    if (pets.length > this.max) return refusal(400, 'too_many_pets');
    const response = {
      pets: pets.map((pet) => ({ id: this.pets.push(pet.name), status: 'available', ...pet })),
    };
    this.responses.set(key, { body, response });
    return { status: 201, body: response };
  }
}

const refusal = (status: number, code: string) => ({ status, body: { code, message: code, status } });

/** Answers every request by the store, until it is told to stop after some. */
function answerBy(store: Store, { until = Infinity } = {}): void {
  let count = 0;
  service.onRequest = () => {
    const response = store.respond();
    service.responses = [++count > until ? { instead: 'broken' } : response];
  };
}

const sizes = () => service.received.map(({ body }) => (JSON.parse(body) as { pets: unknown[] }).pets.length);

describe('pets.createMany', () => {
  it.each([
    [100, [100, 100, 50]],
    [50, [100, 50, 50, 50, 50, 50]],
  ])('sends as many as the plan allows, which is %i', async (max, expected) => {
    const store = new Store(max);
    answerBy(store);
    const pets = some(250);
    const created = await client().pets.createMany(pets);
    expect(sizes()).toEqual(expected);
    expect(created.map(({ name }) => name)).toEqual(pets.map(({ name }) => name));
    expect(store.pets).toEqual(pets.map(({ name }) => name));
  });

  it('takes any iterable, and tells its progress', async () => {
    answerBy(new Store(50));
    async function* later(): AsyncGenerator<NewPet> {
      await Promise.resolve();
      yield* some(60);
    }
    function* now(): Generator<NewPet> {
      yield* some(60);
    }
    for (const pets of [later(), now(), new Set(some(60))]) {
      const progress: number[] = [];
      const created = await client().pets.createMany(pets, { onProgress: (count) => progress.push(count) });
      expect(created).toHaveLength(60);
      expect(progress).toEqual([50, 60]);
    }
    expect(await client().pets.createMany([])).toEqual([]);
  });

  it('adds what its iterable gave, also if that gives one object again and again', async () => {
    const store = new Store(100);
    answerBy(store);
    const names = some(250).map(({ name }) => name);
    const one = { name: '', categoryId: 1n };
    const pets = function* () {
      for (const name of names) yield Object.assign(one, { name });
    };
    await client().pets.createMany(pets());
    expect(store.pets).toEqual(names);
  });

  it('sends no body above 16 KiB, and halves what the service finds too large', async () => {
    const store = new Store(100, 4_096);
    answerBy(store);
    const pets = some(100, 'x'.repeat(190));
    await client().pets.createMany(pets);
    for (const { body } of service.received) expect(Buffer.byteLength(body)).toBeLessThanOrEqual(16_384);
    expect(store.pets).toEqual(pets.map(({ name }) => name));
  });

  it('waits for the quota as Retry-After says, however often, also for more than a minute', async () => {
    const store = new Store(100);
    const exhausted = { ...refusal(429, 'rate_limit_exceeded'), headers: { 'Retry-After': '3600' } };
    let left = 9;
    service.onRequest = () => {
      service.responses = [left-- > 0 ? exhausted : store.respond()];
    };
    expect(await client().pets.createMany(some(5))).toHaveLength(5);
    expect(time.waits.filter((wait) => wait >= 3_600_000)).toHaveLength(9);
  });

  it.each([
    ['the same plan', 50, 50],
    ['a larger plan', 10, 100],
    ['a smaller plan', 100, 10],
  ])('adds no pet twice when it is run again after it was cut off, with %s', async (_, before, after) => {
    const pets = some(275);
    for (const until of [0, 1, 2]) {
      const store = new Store(before);
      answerBy(store, { until });
      await expect(
        client().pets.createMany(pets, { idempotencyKey: 'import', maxRetries: 0 }),
      ).rejects.toThrow(CreateManyError);
      store.max = after;
      answerBy(store);
      const created = await client().pets.createMany(pets, { idempotencyKey: 'import' });
      expect(store.pets).toEqual(pets.map(({ name }) => name));
      expect(created.map(({ name }) => name)).toEqual(store.pets);
    }
  });

  it('adds no pet twice, however often it is cut off and whatever the plan is meanwhile', async () => {
    const runs = fc.array(fc.record({ max: fc.constantFrom(10, 50, 100), until: fc.nat(6) }), {
      maxLength: 5,
    });
    const names = fc.array(fc.constantFrom('Rex', 'x'.repeat(190), '😀'.repeat(100)), {
      minLength: 1,
      maxLength: 230,
    });
    await fc.assert(
      fc.asyncProperty(runs, names, async (cut, given) => {
        const pets = given.map((name, i) => ({ name: `${i} ${name}`, categoryId: 1n }));
        const store = new Store(100);
        for (const { max, until } of cut) {
          store.max = max;
          answerBy(store, { until });
          await client()
            .pets.createMany(pets, { idempotencyKey: 'import', maxRetries: 0 })
            .catch(() => undefined);
        }
        answerBy(store);
        await client().pets.createMany(pets, { idempotencyKey: 'import' });
        expect(store.pets).toEqual(pets.map(({ name }) => name));
      }),
      { numRuns: 40 },
    );
  });

  it('ends with 422 if the pets are others than those of the first run', async () => {
    answerBy(new Store(100));
    await client().pets.createMany(some(30), { idempotencyKey: 'import' });
    const error = await client()
      .pets.createMany(some(30, 'Bella'), { idempotencyKey: 'import' })
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'idempotency_key_reused', status: 422, created: [] });
  });

  it('uses another key for each part and each list', async () => {
    const store = new Store(100);
    answerBy(store);
    await client().pets.createMany(some(200), { idempotencyKey: 'one' });
    await client().pets.createMany(some(200), { idempotencyKey: 'two' });
    await client().pets.createMany(some(200));
    expect(new Set(store.keys).size).toBe(6);
    for (const key of store.keys) expect(key).toMatch(/^[\da-f]{64}$/);
  });

  it('says after an error which pets were made, and which one is invalid', async () => {
    const invalid = {
      in: 'body',
      field: 'pets.3.name',
      pointer: '/pets/3/name',
      code: 'required',
      message: 'pets.3.name is missing',
    };
    const store = new Store(100);
    let left = 1;
    service.onRequest = () => {
      service.responses = [
        left-- > 0
          ? store.respond()
          : {
              status: 400,
              body: {
                code: 'validation_failed',
                message: 'pets.3.name is missing',
                status: 400,
                details: [invalid],
              },
            },
      ];
    };
    const error: unknown = await client()
      .pets.createMany(some(150))
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(CreateManyError);
    const { created, details, message, code } = error as CreateManyError;
    expect(created.map(({ name }: Pet) => name)).toEqual(store.pets);
    expect(details).toMatchObject([
      { field: 'pets.103.name', pointer: '/pets/103/name', message: 'pets.103.name is missing' },
    ]);
    expect([code, message]).toEqual([
      'validation_failed',
      '100 pets were added, then: pets.103.name is missing',
    ]);
  });

  const exhaustedAfter = (batches: number, store: Store) => {
    const exhausted = { ...refusal(429, 'rate_limit_exceeded'), headers: { 'Retry-After': '3600' } };
    let left = batches;
    service.onRequest = () => {
      service.responses = [left-- > 0 ? store.respond() : exhausted];
    };
  };

  it('ends at once if the wait would exceed its totalTimeout, and says what was made', async () => {
    const store = new Store(100);
    exhaustedAfter(2, store);
    const error: unknown = await client()
      .pets.createMany(some(300), { totalTimeout: 3_600_000 })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(CreateManyError);
    expect(error).toMatchObject({ status: 429, code: 'rate_limit_exceeded', retryAfter: 3600 });
    expect((error as CreateManyError).created).toHaveLength(200);
    expect(time.waits).toEqual([]);
  });

  it('sends no part after its totalTimeout, which is for all parts', async () => {
    const store = new Store(100);
    answerBy(store);
    const error: unknown = await client()
      .pets.createMany(some(300), {
        totalTimeout: 10_000,
        onProgress: () => {
          time.now += 5_000;
        },
      })
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'timeout',
      message: '200 pets were added, then: The totalTimeout is over.',
    });
    expect(store.pets).toHaveLength(200);
  });

  it('throws the reason of its signal, as any call does', async () => {
    const store = new Store(100);
    const stop = new AbortController();
    const reason = new Error('enough');
    answerBy(store);
    const running = client().pets.createMany(some(300), {
      signal: stop.signal,
      onProgress: (count) => {
        if (count === 200) stop.abort(reason);
      },
    });
    await expect(running).rejects.toBe(reason);
    expect(store.pets).toHaveLength(200);
    await expect(client().pets.createMany([], { signal: stop.signal })).rejects.toBe(reason);
  });

  it('throws the reason of its signal while it waits for the quota', async () => {
    const reason = new Error('enough');
    const stop = new AbortController();
    exhaustedAfter(1, new Store(100));
    const sleep: typeof RUNTIME.sleep = (milliseconds, signal) => {
      const sleeping = RUNTIME.sleep(milliseconds, signal);
      stop.abort(reason);
      return sleeping;
    };
    const { pets } = time.client(service.url, { runtime: { sleep } });
    await expect(pets.createMany(some(300), { signal: stop.signal })).rejects.toBe(reason);
    expect(service.received).toHaveLength(2);
  });

  it('ends when its iterable fails', async () => {
    answerBy(new Store(100));
    function* failing(): Generator<NewPet> {
      yield* some(120);
      throw new Error('line 121 is no pet');
    }
    const error: unknown = await client()
      .pets.createMany(failing())
      .catch((thrown: unknown) => thrown);
    expect((error as CreateManyError).created).toHaveLength(100);
    expect((error as CreateManyError).message).toContain('line 121 is no pet');
  });
});
