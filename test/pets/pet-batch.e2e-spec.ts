import { ServiceClient } from '../../src/platform/data/database/pool/service-client.js';
import { Petstore } from '../support/petstore.js';

let petstore: Petstore;
type Client = ReturnType<Petstore['client']>;
let business: Client;

beforeAll(async () => {
  petstore = await Petstore.start();
});
afterAll(() => petstore.stop());
beforeEach(async () => {
  await petstore.query('TRUNCATE pets, events, event_outbox CASCADE');
  business = petstore.client(await petstore.key('business')); // with a limit of its own
});

interface Pet {
  readonly id: number;
  readonly name: string;
}
interface Batch {
  readonly pets: readonly Pet[];
}

const named = (...names: string[]) => names.map((name) => ({ name, categoryId: 1 }));
const some = (count: number) => named(...Array.from({ length: count }, (_, i) => `No. ${i}`));
const stored = async () =>
  (await petstore.query<Pet>('SELECT id, name FROM pets ORDER BY id')).map(({ name }) => name);
const post = (client: Client, pets: unknown, more: object = {}) =>
  client.post('/v1/pets/batch').send({ pets, ...more });

describe('POST /v1/pets/batch', () => {
  it('adds all pets in their order, each with the values that POST /v1/pets would give it', async () => {
    const pets = [
      { name: 'b', categoryId: 5, status: 'sold' },
      { name: 'a', categoryId: -5 },
      { name: 'ß\u{1F600}"', categoryId: 1 },
    ];
    const response = await post(business, pets);
    expect(response.status).toBe(201);
    const { pets: added } = response.body as Batch;
    const single = [];
    for (const pet of pets) single.push((await business.post('/v1/pets').send(pet)).body as Pet);
    const withoutId = (all: readonly Pet[]) => all.map((pet) => ({ ...pet, id: 0 }));
    expect(withoutId(added)).toEqual(withoutId(single));
    expect(new Set(added.map(({ id }) => id)).size).toBe(3);
    expect(response.headers).not.toHaveProperty('location');
    expect(response.headers).not.toHaveProperty('etag');
  });

  it('keeps integers of 64 bits', async () => {
    const body = '{"pets":[{"name":"a","categoryId":9223372036854775807}]}';
    const { text } = await business.post('/v1/pets/batch').type('json').send(body);
    expect(text).toContain('"categoryId":9223372036854775807');
  });

  it('records an event for each, in their order', async () => {
    await post(business, named('b', 'a', 'c'));
    const { body } = (await business.get('/v1/events').expect(200)) as {
      body: { type: string; data: Pet }[];
    };
    expect(body.map(({ type, data }) => [type, data.name])).toEqual(
      ['b', 'a', 'c'].map((name) => ['pet.created', name]),
    );
  });

  it('is one request of the quota', async () => {
    const client = petstore.client(await petstore.key('free'));
    const { headers } = await post(client, some(10));
    expect(headers).toMatchObject({ 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '59' });
  });

  it.each([
    ['free', 10],
    ['pro', 50],
    ['business', 100],
    ['enterprise', 100],
  ] as const)('takes as many as the plan allows, and names that number: %s', async (plan, max) => {
    const client = petstore.client(await petstore.key(plan));
    expect((await post(client, some(max))).status).toBe(201);
    expect(await stored()).toHaveLength(max);
    const { body, status } = await post(client, some(max + 1));
    expect(status).toBe(400);
    const tooMany = {
      code: 'too_many_pets',
      message: `With the plan of this key, a request can add at most ${max} pets.`,
    };
    expect(body).toMatchObject(tooMany);
    // Before the rules of each pet run.
    expect((await post(client, [...some(max), { name: '' }])).body).toMatchObject(tooMany);
    expect(await stored()).toHaveLength(max);
  });

  it.each<[string, unknown, string]>([
    ['a pet without a name', [...named('a', 'b', 'c'), { categoryId: 1 }], 'pets.3.name'],
    ['a pet with another member', [{ name: 'a', categoryId: 1, age: 3 }], 'pets.0.age'],
    ['a category that is no integer', [...named('a'), { name: 'b', categoryId: 1.5 }], 'pets.1.categoryId'],
    ['no pets', [], 'pets'],
    ['no list', { name: 'a', categoryId: 1 }, 'pets'],
    ['null', null, 'pets'],
    ['a text', 'a', 'pets'],
    ['a pet that is null', [...named('a'), null], 'pets.1'],
    ['a pet that is a list', [...named('a'), named('b')], 'pets'],
    ['a pet that is a text', ['Rex'], 'pets.0'],
  ])('refuses all for one that is invalid, and names it: %s', async (_, pets, field) => {
    const { body, status } = await post(business, pets);
    expect({ status, code: (body as { code: string }).code }).toEqual({
      status: 400,
      code: 'validation_failed',
    });
    const { details } = body as { details: { field: string }[] };
    expect(details.map((detail) => detail.field)).toContain(field);
    expect(await stored()).toEqual([]);
  });

  it.each<[string, unknown, readonly string[]]>([
    ['an object', { 1: { name: 'a', categoryId: 1 } }, ['pets must be an array, not an object']],
    ['a text', 'x', ['pets must be an array, not text']],
    ['a number', 7, ['pets must be an array, not a number']],
    ['null', null, ['pets must be an array, not null']],
    ['a list with null', [null], ['pets.0 must be an object, not null']],
    [
      'a list with a text, and another mistake',
      ['x', { name: 'a', categoryId: '1' }],
      ['pets.0 must be an object, not text', 'pets.1.categoryId must be an integer, not text'],
    ],
  ])('says what is wrong with a list that is %s', async (_, pets, messages) => {
    const { details } = (await post(business, pets)).body as { details: { message: string }[] };
    expect(details.map(({ message }) => message)).toEqual(messages);
  });

  it('refuses members beside pets, and a body without any', async () => {
    expect((await post(business, named('a'), { dryRun: true })).body).toMatchObject({
      details: [{ field: 'dryRun', code: 'unknown' }],
    });
    expect((await business.post('/v1/pets/batch').send({})).body).toMatchObject({
      details: [{ field: 'pets' }],
    });
    expect((await business.post('/v1/pets/batch')).status).toBe(400);
  });

  it('refuses a body above 16 KiB, so not as many pets with the longest names fit', async () => {
    const longest = named(...Array.from({ length: 100 }, () => 'x'.repeat(200)));
    expect((await post(business, longest)).status).toBe(413);
    expect((await post(business, longest.slice(0, 50))).status).toBe(201);
  });

  it('is repeated without adding a pet twice, with an Idempotency-Key', async () => {
    const send = (pets: unknown) => post(business, pets).set('Idempotency-Key', 'batch-1');
    const first = await send(some(100));
    const again = await send(some(100));
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.text).toBe(first.text);
    expect(await stored()).toHaveLength(100);
    expect((await send(some(99))).body).toMatchObject({ code: 'idempotency_key_reused', status: 422 });
  });

  it('is taken ten times in two seconds of one key; the plan does not count what is refused', async () => {
    const other = petstore.client(await petstore.key('business'));
    for (let i = 0; i < 10; i++) expect((await post(business, some(1))).status).toBe(201);
    const refused = await post(business, some(1));
    expect(refused.status).toBe(429);
    expect(refused.body).toMatchObject({ code: 'rate_limit_exceeded' });
    expect(refused.headers).toMatchObject({ 'retry-after': '2', 'x-ratelimit-remaining': '990' });
    expect((await business.get('/v1/pets')).status).toBe(200);
    expect((await post(other, some(1))).status).toBe(201);
    petstore.clock.advance(2_000);
    expect((await post(business, some(1))).status).toBe(201);
  });

  it('adds 100 pets with at most five statements, and ten with an Idempotency-Key', async () => {
    await post(business, some(1)); // the key is known
    const query = Reflect.get(ServiceClient.prototype, 'query') as (...args: unknown[]) => unknown;
    const sent: string[] = [];
    const spy = jest.spyOn(ServiceClient.prototype, 'query').mockImplementation(function (
      this: unknown,
      ...args
    ) {
      const [statement] = args as [string | { text: string }];
      sent.push(typeof statement === 'string' ? statement : statement.text);
      return query.apply(this, args);
    });
    const statements = async (batch: ReturnType<typeof post>) => {
      sent.length = 0;
      await batch.expect(201);
      // Others belong to work that the process does once a second.
      return sent.filter((text) => /pets|idempo|^(BEGIN|START|COMMIT|SAVEPOINT|RELEASE)/i.test(text)).length;
    };
    try {
      expect(await statements(post(business, some(100)))).toBeLessThanOrEqual(5);
      const withKey = post(business, some(100)).set('Idempotency-Key', 'statements');
      expect(await statements(withKey)).toBeLessThanOrEqual(10);
    } finally {
      spy.mockRestore();
    }
  });

  it('needs the scope pets:write', async () => {
    const reader = petstore.client(await petstore.key('pro', undefined, ['pets:read']));
    expect((await post(reader, some(1))).status).toBe(403);
  });

  it('leaves other methods of its path what they are for an id', async () => {
    const statuses = async (path: string) => [
      (await business.get(path)).body as { code: string },
      (await business.patch(path).send({ name: 'a' })).body as { code: string },
      (await business.delete(path)).body as { code: string },
    ];
    expect((await statuses('/v1/pets/batch')).map(({ code }) => code)).toEqual(
      Array(3).fill('pet_not_found'),
    );
    const { headers, status } = await business.put('/v1/pets/batch').send({});
    expect(status).toBe(405);
    expect(headers.allow?.split(', ').sort()).toEqual(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST']);
  });
});
