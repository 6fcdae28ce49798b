import { Petstore } from '../support/petstore.js';
import { expectErrorResponse, expectPromisedHeaders } from '../support/promises.js';
import { recordedEvents } from '../support/recorded-events.js';
import { bearer, send, valuesOf } from '../support/wire.js';

interface Order {
  id: number;
  petId: number;
  quantity: number;
  status: string;
  createdAt: string;
}

let petstore: Petstore;
let key: string;
let client: ReturnType<Petstore['client']>;

beforeAll(async () => {
  petstore = await Petstore.start();
  key = await petstore.key();
  client = petstore.client(key);
});
afterAll(() => petstore.stop());

const ACTIONS = {
  approved: ['approve'],
  delivered: ['approve', 'deliver'],
  cancelled: ['cancel'],
  placed: [],
};
type Status = keyof typeof ACTIONS;

async function createPet(status = 'available'): Promise<number> {
  const { body } = await client.post('/v1/pets').send({ name: 'Rex', categoryId: 1, status }).expect(201);
  return (body as { id: number }).id;
}

const place = (petId: unknown) => client.post('/v1/store/orders').send({ petId });
const act = (id: number | string, action: string) => client.post(`/v1/store/orders/${id}/${action}`);
const petStatus = async (id: number) =>
  ((await client.get(`/v1/pets/${id}`).expect(200)).body as { status: string }).status;

/** Creates an order with the given status. */
async function order(status: Status = 'placed'): Promise<Order> {
  let { body } = await place(await createPet()).expect(201);
  for (const action of ACTIONS[status]) ({ body } = await act((body as Order).id, action).expect(200));
  return body as Order;
}

describe('POST /v1/store/orders', () => {
  it('places an order for one pet, which becomes pending', async () => {
    const petId = await createPet();
    const { body, headers } = await place(petId).expect(201);
    expect(body).toEqual({
      id: expect.any(Number),
      petId,
      quantity: 1,
      status: 'placed',
      createdAt: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/),
    });
    expect(headers.location).toBe(`/v1/store/orders/${(body as Order).id}`);
    expect((await client.get(String(headers.location)).expect(200)).body).toEqual(body);
    expect(await petStatus(petId)).toBe('pending');
  });

  it.each(['pending', 'sold'])('refuses a pet that is %s with 409, and changes nothing', async (status) => {
    const petId = await createPet(status);
    expect((await place(petId).expect(409)).body).toEqual({
      code: 'pet_not_available',
      message: `The pet ${petId} is not available.`,
      status: 409,
    });
    expect(await petStatus(petId)).toBe(status);
    expect((await client.get(`/v1/store/orders?petId=${petId}`)).body).toEqual([]);
  });

  it('refuses a missing pet with 404', async () => {
    expect((await place(999_999).expect(404)).body).toMatchObject({ code: 'pet_not_found' });
  });

  it('gives the pet to one of twenty concurrent orders', async () => {
    const petId = await createPet();
    const statuses = (await Promise.all(Array.from({ length: 20 }, () => place(petId)))).map(
      (one) => one.status,
    );
    expect(statuses.sort()).toEqual([201, ...Array<number>(19).fill(409)]);
  });
});

describe('an order', () => {
  it.each([
    ['placed', 'approve', 'approved', 'pending'],
    ['placed', 'cancel', 'cancelled', 'available'],
    ['approved', 'deliver', 'delivered', 'sold'],
    ['approved', 'cancel', 'cancelled', 'available'],
  ] as const)('that is %s: %s makes it %s, and its pet %s', async (from, action, to, pet) => {
    const { id, petId, createdAt } = await order(from);
    const { body, headers } = await act(id, action).expect(200);
    expect(body).toEqual({ id, petId, quantity: 1, status: to, createdAt });
    expect(headers.etag).toBe((await client.get(`/v1/store/orders/${id}`).expect(200)).headers.etag);
    expect(await petStatus(petId)).toBe(pet);
  });

  it.each([
    ['placed', 'deliver', 'delivered'],
    ['approved', 'approve', 'approved'],
    ['delivered', 'approve', 'approved'],
    ['delivered', 'deliver', 'delivered'],
    ['delivered', 'cancel', 'cancelled'],
    ['cancelled', 'approve', 'approved'],
    ['cancelled', 'deliver', 'delivered'],
    ['cancelled', 'cancel', 'cancelled'],
  ] as const)('that is %s refuses %s with 409', async (from, action, to) => {
    const { id, petId } = await order(from);
    const before = await petStatus(petId);
    expect((await act(id, action).expect(409)).body).toEqual({
      code: 'invalid_order_transition',
      message: `An order that is ${from} cannot become ${to}.`,
      status: 409,
    });
    expect(await petStatus(petId)).toBe(before);
  });

  it.each([
    ['placed', 'approve'],
    ['approved', 'deliver'],
    ['placed', 'cancel'],
  ] as const)('that is %s honours If-Match for %s', async (from, action) => {
    const { id, petId } = await order(from);
    const stale = await act(id, action).set('If-Match', '"stale"').set('Idempotency-Key', `stale-${id}`);
    expect(stale.body).toMatchObject({ status: 412, code: 'precondition_failed' });
    expect((await act(id, action).set('If-Match', 'stale').expect(400)).body).toMatchObject({
      details: [{ in: 'header', field: 'If-Match', code: 'format' }],
    });
    await act(id, action).set('If-None-Match', '*').expect(412);
    const { body, headers } = await client.get(`/v1/store/orders/${id}`).expect(200);
    await act(id, action)
      .set('If-None-Match', `W/${String(headers.etag)}`)
      .expect(412);
    expect(body).toMatchObject({ status: from });
    expect(await petStatus(petId)).toBe('pending');
    await act(id, action)
      .set('If-Match', String(headers.etag))
      .set('Idempotency-Key', `stale-${id}`)
      .expect(200);
  });

  it.each(['approve', 'deliver', 'cancel'])('that does not exist returns 404 for %s', async (action) => {
    for (const id of ['0', '999999', '9223372036854775808', 'abc'])
      expect((await act(id, action).expect(404)).body).toMatchObject({ code: 'order_not_found' });
  });

  it('is delivered or cancelled only once, despite concurrent requests', async () => {
    const { id, petId } = await order('approved');
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, i) => act(id, i % 2 === 0 ? 'deliver' : 'cancel')),
    );
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    const { body } = await client.get(`/v1/store/orders/${id}`).expect(200);
    expect(await petStatus(petId)).toBe((body as Order).status === 'delivered' ? 'sold' : 'available');
  });

  it('holds its pet, which cannot be removed or change status until the order ends', async () => {
    const { id, petId } = await order();
    expect((await client.delete(`/v1/pets/${petId}`).expect(409)).body).toMatchObject({
      code: 'pet_reserved',
    });
    await client.patch(`/v1/pets/${petId}`).send({ status: 'available' }).expect(409);
    await act(id, 'cancel').expect(200);
    await client.patch(`/v1/pets/${petId}`).send({ status: 'pending' }).expect(200);
    await client.delete(`/v1/pets/${petId}`).expect(204);
    expect((await client.get(`/v1/store/orders/${id}`).expect(200)).body).toMatchObject({ petId });
  });

  it('allows its pet to be ordered again after it was cancelled', async () => {
    const { petId } = await order('cancelled');
    await place(petId).expect(201);
  });

  it('records its events and those of its pet, in order', async () => {
    const { id, petId } = await order('delivered');
    expect((await recordedEvents(petstore, { order: id, pet: petId })).map(({ type }) => type)).toEqual([
      'pet.created',
      'pet.status_changed',
      'order.placed',
      'order.approved',
      'pet.status_changed',
      'order.delivered',
    ]);
  });

  it('records the status that its pet has again, before its own cancellation', async () => {
    const { id, petId } = await order('cancelled');
    expect((await recordedEvents(petstore, { order: id, pet: petId })).slice(-2)).toMatchObject([
      { type: 'pet.status_changed', data: { id: petId, status: 'available', previousStatus: 'pending' } },
      { type: 'order.cancelled', data: { id, petId } },
    ]);
  });
});

describe('GET /v1/store/orders with a filter', () => {
  it('filters by status and by pet', async () => {
    const { id, petId } = await order('cancelled');
    await place(petId).expect(201);
    const list = async (query: string) =>
      ((await client.get(`/v1/store/orders?${query}`).expect(200)).body as Order[]).map((one) => one.id);
    expect(await list(`petId=${petId}&status=cancelled`)).toEqual([id]);
    expect(await list(`petId=${petId}`)).toHaveLength(2);
    expect(await list('petId=999999')).toEqual([]);
  });
});

describe('GET /v1/store/orders', () => {
  beforeAll(async () => {
    await petstore.query('TRUNCATE orders, pets RESTART IDENTITY CASCADE');
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

  const get = (path: string) => send(petstore, { path, headers: [bearer(key)] });
  const ordersIn = (body: string) => JSON.parse(body) as Order[];

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

  it('returns the newest ones first with sort=-id', async () => {
    const newest = ordersIn((await get('/v1/store/orders?sort=-id&limit=3')).body);
    expect(newest.map(({ id }) => id)).toEqual([25, 24, 23]);
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

  it('has no Link on the last page, even if it is full', async () => {
    expect(valuesOf(await get('/v1/store/orders?limit=25'), 'Link')).toEqual([]);
  });

  it('refuses a cursor of the pets with 400 invalid_cursor', async () => {
    const [link = ''] = valuesOf(await get('/v1/pets?limit=1'), 'Link');
    const cursor = /cursor=([^&>]+)/.exec(link)?.[1] ?? 'none';
    expectErrorResponse(await get(`/v1/store/orders?cursor=${cursor}`), 400, 'invalid_cursor');
  });

  it('returns an empty array when there are no orders', async () => {
    await petstore.query('TRUNCATE orders');
    expect((await get('/v1/store/orders')).body).toBe('[]');
  });
});
