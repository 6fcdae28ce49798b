import { inspect } from 'node:util';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as petstore from '../src/index.js';
import { freePort } from '../../../test/support/free-port.js';
import { all, ScriptedService, TestTime } from './scripted-service.js';

const BEYOND_NUMBERS = 9_007_199_254_740_993n;
const REX: petstore.Pet = { id: BEYOND_NUMBERS, name: 'Rex', categoryId: 7n, status: 'available' };
const REX_AS_SENT = `{"id":${BEYOND_NUMBERS},"name":"Rex","categoryId":7,"status":"available"}`;

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

const page = (body: string, cursor?: string) => ({
  body,
  headers: cursor
    ? { Link: `<https://elsewhere.test/v1/pets?limit=1&cursor=${cursor}>; rel="next"` }
    : undefined,
});

describe('a client', () => {
  const { PETSTORE_URL, PETSTORE_API_KEY } = process.env;

  afterEach(() => {
    Object.assign(process.env, {
      PETSTORE_URL: PETSTORE_URL ?? '',
      PETSTORE_API_KEY: PETSTORE_API_KEY ?? '',
    });
  });

  it('takes address and key from the environment; what it is given comes first', async () => {
    Object.assign(process.env, {
      PETSTORE_URL: `${service.url}/`,
      PETSTORE_API_KEY: 'petstore_of_environment',
    });
    await new petstore.PetstoreClient().pets.list().page();
    await new petstore.PetstoreClient({ apiKey: 'petstore_mine' }).pets.list().page();
    expect(service.received.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ['/v1/pets', 'Bearer petstore_of_environment'],
      ['/v1/pets', 'Bearer petstore_mine'],
    ]);
  });

  it('ignores white space around address and key, such as the last line break of a file', async () => {
    const url = ` ${service.url} \n`;
    await new petstore.PetstoreClient({ url, apiKey: 'petstore_x\n' }).pets.list().page();
    expect(service.received).toMatchObject([
      { url: '/v1/pets', headers: { authorization: 'Bearer petstore_x' } },
    ]);
  });

  it('says what is missing', () => {
    Object.assign(process.env, { PETSTORE_URL: '', PETSTORE_API_KEY: '' });
    expect(() => new petstore.PetstoreClient()).toThrow('set PETSTORE_URL');
    expect(() => new petstore.PetstoreClient({ url: service.url })).toThrow('set PETSTORE_API_KEY');
    expect(() => new petstore.PetstoreClient({ url: service.url, apiKey: '' })).toThrow(
      'set PETSTORE_API_KEY',
    );
    for (const url of ['file:///etc', 'pets.example.com', 'http://'])
      expect(() => new petstore.PetstoreClient({ url, apiKey: 'x' })).toThrow(`${url} is not an HTTP URL.`);
    expect(() => new petstore.PetstoreClient({ url: service.url, apiKey: 'a\nb' })).toThrow(
      new TypeError('The key contains a character that no key has.'),
    );
  });

  it('names itself, after the program that uses it', async () => {
    await time.client(service.url, { userAgent: 'shop/1.2' }).rateLimits.get();
    expect(service.received[0]?.headers['user-agent']).toMatch(
      /^shop\/1\.2 petstore-client-typescript\/\d+\.\d+\.\d+ node\/\d+\.\d+\.\d+$/,
    );
  });

  it('has the version of its package', async () => {
    const manifest = await readFile(join(import.meta.dirname, '../package.json'), 'utf8');
    expect(JSON.parse(manifest)).toHaveProperty('version', petstore.VERSION);
  });

  it('does not show its key when it is printed', () => {
    const client = time.client(service.url, { apiKey: 'petstore_secret' });
    expect(inspect(client, { depth: 9, showHidden: true }) + JSON.stringify(client)).not.toContain('secret');
  });

  it('follows no redirect', async () => {
    service.responses = [{ status: 302, headers: { Location: '/v1/elsewhere' } }];
    await expect(time.client(service.url).rateLimits.get()).rejects.toMatchObject({
      status: 302,
      code: 'unknown',
    });
    expect(service.received).toHaveLength(1);
  });
});

describe('operations', () => {
  it('lists pets with a filter', async () => {
    await time.client(service.url).pets.list({ limit: 2, status: 'sold', cursor: 'a&b' }).page();
    expect(service.received[0]).toMatchObject({
      method: 'GET',
      url: '/v1/pets?limit=2&status=sold&cursor=a%26b',
    });
  });

  it('adds a pet, with every digit', async () => {
    service.responses = [{ status: 201, body: REX_AS_SENT }];
    const pet = { name: 'Rex', categoryId: BEYOND_NUMBERS, status: 'sold' } as const;
    expect(await time.client(service.url).pets.create(pet)).toEqual(REX);
    expect(service.received[0]).toMatchObject({
      method: 'POST',
      url: '/v1/pets',
      body: `{"name":"Rex","categoryId":${BEYOND_NUMBERS},"status":"sold"}`,
      headers: { 'content-type': 'application/json', accept: 'application/json' },
    });
  });

  it('reads and writes identifiers as strings, and what it returns goes into JSON.stringify', async () => {
    service.responses = [{ status: 201, body: REX_AS_SENT }, { body: `[${REX_AS_SENT}]` }];
    const { pets } = time.client(service.url, { ids: 'string' });
    const id = String(BEYOND_NUMBERS);
    const pet = await pets.create({ name: 'Rex', categoryId: id });
    expect(service.received[0]?.body).toBe(`{"name":"Rex","categoryId":${id}}`);
    expect(JSON.parse(JSON.stringify(pet))).toEqual({
      id,
      name: 'Rex',
      categoryId: '7',
      status: 'available',
    });
    expect(await all(pets.list({ ids: [pet.id] }))).toEqual([pet]);
    expect(service.received[1]?.url).toBe(`/v1/pets?ids=${id}`);
  });

  it('reads identifiers as numbers, and throws for one that a number cannot hold', async () => {
    service.responses = [
      { body: '[{"id":1,"name":"Rex","categoryId":7,"status":"sold"}]' },
      { body: `[${REX_AS_SENT}]` },
    ];
    const { pets } = time.client(service.url, { ids: 'number' });
    expect(await all(pets.list())).toEqual([{ id: 1, name: 'Rex', categoryId: 7, status: 'sold' }]);
    await expect(all(pets.list())).rejects.toThrow(RangeError);
  });

  it('warns once about a deprecated operation', async () => {
    const headers = {
      Deprecation: '@1795132800',
      Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
      Link: '<https://petstore.test/v1/pets>; rel="successor-version", <https://petstore.test/docs>; rel="deprecation"; type="text/html"',
    };
    service.responses = [1, 2].map(() => ({ body: '[]', headers }));
    const { pets } = time.client(service.url);
    await all(pets.list());
    await all(pets.list());
    expect(time.warnings).toEqual([
      'petstore-client: listPets (GET /pets) is deprecated since 2026-11-20, and will be removed on 2030-12-05. ' +
        'Its successor is https://petstore.test/v1/pets.',
    ]);
  });

  it('gets a pet by its id, and throws a NotFoundError for an unknown one', async () => {
    service.responses = [{ body: `[${REX_AS_SENT}]`, headers: { ETag: '"rex"' } }, { body: '[]' }];
    const { pets } = time.client(service.url);
    const rex = await pets.get(BEYOND_NUMBERS);
    expect(rex).toEqual(REX);
    expect(rex.response.etag).toBe('"rex"');
    expect(service.received[0]?.url).toBe(`/v1/pets?ids=${BEYOND_NUMBERS}`);
    await expect(pets.get(1n)).rejects.toMatchObject({
      name: 'NotFoundError',
      code: 'pet_not_found',
      status: 404,
    });
  });

  it('is not disturbed by a deprecation on a date that does not exist', async () => {
    service.responses = [{ body: '[]', headers: { Deprecation: '@99999999999999999' } }];
    expect(await all(time.client(service.url).pets.list())).toEqual([]);
    expect(time.warnings).toEqual([expect.stringMatching(/^petstore-client: listPets .* is deprecated\.$/)]);
  });

  it('lists orders', async () => {
    service.responses = [
      {
        body: '[{"id":1,"petId":9007199254740993,"quantity":1,"status":"placed","createdAt":"2026-11-20T09:30:00.000Z"}]',
      },
    ];
    const orders = await all(time.client(service.url).orders.list({ limit: 5 }));
    expect(orders).toEqual([
      { id: 1n, petId: BEYOND_NUMBERS, quantity: 1, status: 'placed', createdAt: '2026-11-20T09:30:00.000Z' },
    ]);
    expect(service.received[0]?.url).toBe('/v1/store/orders?limit=5');
  });

  it.each([
    ['"0123456789abcdef_-ABCD-gzip"', '"0123456789abcdef_-ABCD"'],
    ['"0123456789abcdef_-ABCD-br"', '"0123456789abcdef_-ABCD"'],
    [
      'W/"0123456789abcdef_-ABCD", "-br-gzip-0123456789abc-br"',
      '"0123456789abcdef_-ABCD", "-br-gzip-0123456789abc"',
    ],
    ['"my-own-gzip"', '"my-own-gzip"'],
    ['"0123456789abcdef_-ABC-gzip"', '"0123456789abcdef_-ABC-gzip"'],
    ['"0123456789abcdef_-ABCDE-br"', '"0123456789abcdef_-ABCDE-br"'],
    ['"0123456789abcdef_-ABC.-br"', '"0123456789abcdef_-ABC.-br"'],
    ['"0123456789abcdef_-ABCD-zstd"', '"0123456789abcdef_-ABCD-zstd"'],
    ['*', '*'],
  ])('sends %s as the service made it: %s', async (etag, sent) => {
    const { pets } = time.client(service.url);
    service.responses = [{ status: 204 }, page('[]')];
    await pets.remove(1n, { ifMatch: etag });
    await pets.list().page({ ifNoneMatch: etag });
    expect(service.received[0]?.headers['if-match']).toBe(sent);
    expect(service.received[1]?.headers['if-none-match']).toBe(sent);
  });

  it('sends the tag of the service where a proxy has made it weak', async () => {
    const order =
      '{"id":1,"petId":2,"quantity":1,"status":"cancelled","createdAt":"2026-11-20T09:30:00.000Z"}';
    service.responses = [{ body: order, headers: { ETag: 'W/"a"' } }, { body: order }];
    const { orders } = time.client(service.url);
    const { response } = await orders.get(1n);
    await orders.cancel(1n, { ifMatch: response.etag, idempotencyKey: 'k' });
    expect(service.received[1]?.headers).toMatchObject({ 'if-match': '"a"', 'idempotency-key': 'k' });
  });

  it('tells where the key stands', async () => {
    const window = { limit: 60, remaining: 42, reset: 1_795_132_860 };
    service.responses = [{ body: { plan: 'free', minute: window, day: window } }];
    const { plan, minute, ban } = await time.client(service.url).rateLimits.get();
    expect([plan, minute, ban]).toEqual(['free', window, undefined]);
    expect(service.received[0]?.url).toBe('/v1/rate-limit');
  });
});

function* counted(last: bigint): Generator<bigint> {
  for (let n = 1n; n <= last; n += 1n) yield n;
}

describe('pages', () => {
  it('are asked for with a parameter for each id, and in the given order', async () => {
    service.responses = [page('[{"id":2}]', 'one'), page('[{"id":1}]')];
    expect(await all(time.client(service.url).pets.list({ ids: [1n, 2n], sort: '-id' }))).toHaveLength(2);
    expect(service.received.map(({ url }) => url)).toEqual([
      '/v1/pets?ids=1&ids=2&sort=-id',
      '/v1/pets?ids=1&ids=2&sort=-id&cursor=one',
    ]);
  });

  it('of no ids are refused by the service, instead of being those of all pets', async () => {
    service.responses = [page('[{"id":1}]')];
    const { pets } = time.client(service.url);
    for (const ids of [[], new Set(), new BigInt64Array(), counted(0n), new Map().keys()])
      await all(pets.list({ ids: ids as bigint[] }));
    expect(service.received.map(({ url }) => url)).toEqual(Array(5).fill('/v1/pets?ids='));
  });

  it('reads the ids of a generator once, and no further than the service could take', async () => {
    service.responses = [page('[{"id":1}]', 'next'), page('[{"id":2}]')];
    const { pets } = time.client(service.url);
    const listing = pets.list({ ids: counted(2n) as unknown as bigint[] });
    expect(await all(listing)).toHaveLength(2);
    await all(pets.list({ ids: counted(1_000_000n) as unknown as bigint[] }));
    const urls = service.received.map(({ url }) => url);
    expect(urls.slice(0, 2)).toEqual(['/v1/pets?ids=1&ids=2', '/v1/pets?ids=1&ids=2&cursor=next']);
    expect(urls[2]?.match(/ids=/g)).toHaveLength(101);
  });

  it.each(['12', '', 12n, 12, null, {}, true])('take no single value as ids: %p', (ids) => {
    const list = () => time.client(service.url).pets.list({ ids: ids as unknown as bigint[] });
    expect(list).toThrow(new TypeError('`ids` takes several values, such as an array.'));
  });

  it('of the feed end at an empty one, whose cursor leads to what comes later', async () => {
    const event = '{"id":1,"type":"unknown","version":1,"occurredAt":"2026-11-20T09:30:00.000Z","data":{}}';
    service.responses = [page(`[${event}]`, 'one'), page('[]', 'two'), page('[]', 'three')];
    const { events } = time.client(service.url);
    let cursor: string | undefined;
    for await (const { nextCursor } of events.list({ limit: 1 }).pages()) cursor = nextCursor;
    expect(cursor).toBe('two');
    expect(await all(events.list({ cursor }))).toEqual([]);
    expect(service.received.map(({ url }) => url)).toEqual([
      '/v1/events?limit=1',
      '/v1/events?limit=1&cursor=one',
      '/v1/events?cursor=two',
    ]);
  });

  it('follows them with the cursor of each, at its own address only', async () => {
    service.responses = [page('[{"id":1}]', 'one'), page('[]', 'two'), page('[{"id":2}]')];
    const found = await all(time.client(service.url).pets.list({ limit: 1, status: 'sold' }));
    expect(found.map(({ id }) => id)).toEqual([1n, 2n]);
    expect(service.received.map(({ url }) => url)).toEqual([
      '/v1/pets?limit=1&status=sold',
      '/v1/pets?limit=1&status=sold&cursor=one',
      '/v1/pets?limit=1&status=sold&cursor=two',
    ]);
  });

  it('takes the cursor from an address that is otherwise invalid', async () => {
    service.responses = [
      { body: '[{"id":1}]', headers: { Link: '<http://[?cursor=one>; rel="next"' } },
      page('[{"id":2}]'),
    ];
    expect(await all(time.client(service.url).pets.list())).toHaveLength(2);
    expect(service.received[1]?.url).toBe('/v1/pets?cursor=one');
  });

  it('asks for no page that is not needed', async () => {
    service.responses = [page('[{"id":1},{"id":2}]', 'one')];
    const listing = time.client(service.url).pets.list();
    expect(service.received).toHaveLength(0);
    for await (const { id } of listing) if (id === 2n) break;
    expect(service.received).toHaveLength(1);
  });

  it('come one by one, each with its response', async () => {
    service.responses = [page('[{"id":1}]', 'one'), page('[{"id":2}]')];
    const pages = await all(time.client(service.url).pets.list().pages());
    expect(
      pages.map(({ items, nextCursor, response }) => [items.length, nextCursor, response.status]),
    ).toEqual([
      [1, 'one', 200],
      [1, undefined, 200],
    ]);
  });

  it('throws a NotModifiedError while the ETag still holds', async () => {
    service.responses = [{ status: 304, headers: { ETag: '"a"', 'X-Request-Id': 'r' } }];
    const call = time.client(service.url).pets.list().page({ ifNoneMatch: '"a"' });
    await expect(call).rejects.toThrow(petstore.NotModifiedError);
    await expect(call).rejects.toMatchObject({ status: 304, code: 'not_modified', requestId: 'r' });
    expect(service.received[0]?.headers).toMatchObject({
      'if-none-match': '"a"',
      'cache-control': 'max-age=0',
    });
  });
});

describe('responses', () => {
  const quota = {
    'X-Request-Id': 'r-1',
    'X-RateLimit-Limit': '60',
    'X-RateLimit-Remaining': '59',
    'X-RateLimit-Reset': '1795132860',
    'RateLimit-Policy': '"minute";q=60;w=60, "day";q=1000;w=86400',
    RateLimit: '"minute";r=59;t=60, "day";r=811;t=51022',
  };

  it('tell where the key stands, also those that are errors', async () => {
    const client = time.client(service.url);
    service.responses = [
      { status: 404, headers: quota, body: { code: 'pet_not_found', message: 'No.', status: 404 } },
    ];
    const error: unknown = await client.rateLimits.get().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(petstore.NotFoundError);
    expect((error as petstore.NotFoundError).response).toEqual({
      operation: 'getRateLimit',
      status: 404,
      requestId: 'r-1',
      etag: undefined,
      idempotentReplayed: false,
      rateLimit: {
        limit: 60,
        remaining: 59,
        reset: 1_795_132_860,
        windows: [
          { name: 'minute', quota: 60, seconds: 60, remaining: 59, resetsIn: 60 },
          { name: 'day', quota: 1000, seconds: 86_400, remaining: 811, resetsIn: 51_022 },
        ],
      },
    });
  });

  it('are shown to onResponse, one by one', async () => {
    service.responses = [{ status: 503 }, { headers: { ETag: '"a"', 'Idempotent-Replayed': 'true' } }];
    const seen: petstore.ResponseInfo[] = [];
    const client = time.client(service.url, { onResponse: (response) => seen.push(response) });
    const { response } = await client.pets.create({ name: 'Rex', categoryId: 7n });
    expect(seen).toMatchObject([
      { status: 503, rateLimit: undefined },
      { operation: 'createPet', status: 200, etag: '"a"', idempotentReplayed: true },
    ]);
    expect(response).toBe(seen[1]);
  });

  it.each(['<html>', '', 'null', '"text"'])(
    'that are not what the document says are an error: %s',
    async (body) => {
      service.responses = [{ body }, { body }, { body: '{}' }];
      const { pets, rateLimits } = time.client(service.url);
      const invalid = { name: 'PetstoreError', status: 200, code: 'invalid_response' };
      await expect(rateLimits.get()).rejects.toMatchObject(invalid);
      await expect(all(pets.list())).rejects.toMatchObject(invalid);
      await expect(all(pets.list())).rejects.toMatchObject(invalid);
    },
  );
});

describe('errors', () => {
  it('say why there is no connection', async () => {
    const port = await freePort();
    for (const [host, message] of [
      [`127.0.0.1:${port}`, `127.0.0.1:${port} refused the connection.`],
      [`localhost:${port}`, `localhost:${port} refused the connection.`],
      ['nowhere.invalid', 'The name of nowhere.invalid cannot be resolved.'],
    ]) {
      const call = time.client(`http://${host}/v1`, { maxRetries: 0 }).rateLimits.get();
      await expect(call).rejects.toMatchObject({
        name: 'ConnectionError',
        code: 'connection_failed',
        message,
      });
    }
  });

  it.each([
    [400, 'validation_failed', petstore.ValidationError],
    [400, 'invalid_cursor', petstore.ValidationError],
    [401, 'invalid_api_key', petstore.AuthenticationError],
    [403, 'insufficient_scope', petstore.PermissionError],
    [404, 'pet_not_found', petstore.NotFoundError],
    [409, 'some_conflict', petstore.ConflictError],
    [410, 'endpoint_removed', petstore.GoneError],
    [413, 'payload_too_large', petstore.InvalidRequestError],
    [422, 'idempotency_key_reused', petstore.ConflictError],
    [422, 'something_else', petstore.ValidationError],
    [429, 'api_key_banned', petstore.RateLimitError],
    [500, 'internal_error', petstore.ServerError],
    [599, 'something_new', petstore.ServerError],
  ])('%s %s has a class', async (status, code, errorClass) => {
    const details = [{ field: 'name', message: 'name must be a text' }];
    service.responses = [
      { status, headers: { 'X-Request-Id': 'r-1' }, body: { code, message: 'No.', status, details } },
    ];
    const call = time.client(service.url, { maxRetries: 0 }).rateLimits.get();
    const error = await call.catch((thrown: unknown) => thrown);
    expect(Object(error).constructor).toBe(errorClass);
    expect(error).toMatchObject({
      name: errorClass.name,
      status,
      code,
      message: 'No.',
      requestId: 'r-1',
      details,
    });
  });

  it.each(['<html>', '', '[]', '"text"', 'null', '{"code":1,"message":{},"details":"none"}'])(
    'understands a body that is not from the service: %s',
    async (body) => {
      service.responses = [{ status: 502, body }];
      const call = time.client(service.url, { maxRetries: 0 }).rateLimits.get();
      await expect(call).rejects.toMatchObject({ code: 'unknown', message: '502 Bad Gateway', details: [] });
    },
  );
});
