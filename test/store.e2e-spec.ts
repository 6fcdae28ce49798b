import { Petstore } from './support/petstore.js';
import { expectPromisedHeaders, expectErrorResponse } from './support/promises.js';
import { bearer, send, valuesOf } from './support/wire.js';

interface Order {
  id: number;
}

let petstore: Petstore;
let key: string;

beforeAll(async () => {
  petstore = await Petstore.start();
  key = await petstore.key();
  await petstore.query(
    `INSERT INTO pets (name, category_id, status) SELECT 'Rex', 1, 'sold' FROM generate_series(1, 3)`,
  );
  await petstore.query(
    `INSERT INTO orders (pet_id, quantity, status, created_at)
     SELECT 1 + i % 3, 1 + i, (ARRAY['placed', 'approved', 'delivered'])[1 + i % 3],
            timestamptz '2026-11-20 10:00:00.123456+02' + i * interval '1 day'
     FROM generate_series(0, 24) i`,
  );
});
afterAll(() => petstore.stop());

const get = (path: string) => send(petstore, { path, headers: [bearer(key)] });
const ordersIn = (body: string) => JSON.parse(body) as Order[];

describe('GET /v1/store/orders', () => {
  it('returns 200 with a bare array of orders, 20 by default', async () => {
    const response = await get('/v1/store/orders');
    expect(response.status).toBe(200);
    expect(valuesOf(response, 'Content-Type')).toEqual(['application/json']);
    expectPromisedHeaders(response);
    expect(ordersIn(response.body)).toHaveLength(20);
    expect(ordersIn(response.body).slice(0, 2)).toEqual([
      { id: 1, petId: 1, quantity: 1, status: 'placed', createdAt: '2026-11-20T08:00:00.123Z' },
      { id: 2, petId: 2, quantity: 2, status: 'approved', createdAt: '2026-11-21T08:00:00.123Z' },
    ]);
  });

  it('visits every order once, in ascending order of id', async () => {
    const pages: Order[][] = [];
    for (let path: string | undefined = '/v1/store/orders?limit=10'; path !== undefined;) {
      const response = await get(path);
      pages.push(ordersIn(response.body));
      const [link = ''] = valuesOf(response, 'Link');
      path = /^<http:\/\/petstore\.test(\/v1\/store\/orders\?[^>]+)>; rel="next"$/.exec(link)?.[1];
    }
    expect(pages.map((page) => page.length)).toEqual([10, 10, 5]);
    expect(pages.flat().map(({ id }) => id)).toEqual(Array.from({ length: 25 }, (_, i) => i + 1));
  });

  it('has no Link on the last page, also when it is full', async () => {
    expect(valuesOf(await get('/v1/store/orders?limit=25'), 'Link')).toEqual([]);
  });

  it.each([
    'limit=0',
    'limit=101',
    'limit=',
    'limit=1&limit=2',
    'status=lost',
    'petId=one',
    'cursor=a&cursor=b',
  ])('refuses %s with 400 validation_failed', async (query) => {
    expectErrorResponse(await get(`/v1/store/orders?${query}`), 400, 'validation_failed');
  });

  it('refuses a cursor of the pets with 400 invalid_cursor', async () => {
    const [link = ''] = valuesOf(await get('/v1/pets?limit=1'), 'Link');
    const cursor = /cursor=([^&>]+)/.exec(link)?.[1] ?? 'none';
    expectErrorResponse(await get(`/v1/store/orders?cursor=${cursor}`), 400, 'invalid_cursor');
  });

  it.each(['PUT', 'PATCH', 'DELETE'])('refuses %s with 405', async (method) => {
    const response = await send(petstore, { path: '/v1/store/orders', method, headers: [bearer(key)] });
    expectErrorResponse(response, 405, 'method_not_allowed');
  });

  it('refuses a request without a key with 401', async () => {
    expectErrorResponse(await send(petstore, { path: '/v1/store/orders' }), 401, 'missing_api_key');
  });

  it('returns an empty array when there are no orders', async () => {
    await petstore.query('TRUNCATE orders');
    expect((await get('/v1/store/orders')).body).toBe('[]');
  });
});
