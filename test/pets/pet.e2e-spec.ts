import { Petstore } from '../support/petstore.js';
import { recordedEvents } from '../support/recorded-events.js';

interface Pet {
  id: number;
  name: string;
  categoryId: number;
  status: string;
}

let petstore: Petstore;
let client: ReturnType<Petstore['client']>;

beforeAll(async () => {
  petstore = await Petstore.start();
  client = petstore.client(await petstore.key('enterprise'));
});
afterAll(() => petstore.stop());

async function create(pet: Partial<Pet> = {}) {
  const { body, headers } = await client
    .post('/v1/pets')
    .send({ name: 'Rex', categoryId: 7, ...pet })
    .expect(201);
  return { ...(body as Pet), etag: String(headers.etag), location: String(headers.location) };
}

const patch = (id: number | string, change: object) => client.patch(`/v1/pets/${id}`).send(change);

const reserve = (id: number) => petstore.query('INSERT INTO pet_reservations (pet_id) VALUES ($1)', [id]);

describe('GET /v1/pets/{petId}', () => {
  it('returns 200 with the pet', async () => {
    const created = await client.post('/v1/pets').send({ name: 'Nala', categoryId: 3 }).expect(201);
    const { id } = created.body as Pet;
    expect((await client.get(`/v1/pets/${id}`).expect(200)).body).toEqual(created.body);
  });

  it.each([
    '0',
    '999999999',
    '9223372036854775807',
    '9223372036854775808',
    '1'.repeat(40),
    'abc',
    '-1',
    '1.0',
    '1e1',
    '0x1',
    '%20',
  ])('returns 404 pet_not_found for the id %s', async (id) => {
    const { body } = await client.get(`/v1/pets/${id}`).expect(404);
    expect(body).toMatchObject({ code: 'pet_not_found', status: 404 });
  });
});

describe('PATCH /v1/pets/{petId}', () => {
  it.each([
    ['name', { name: 'Zoë' }],
    ['categoryId', { categoryId: 9 }],
    ['status', { status: 'pending' }],
    ['all of them', { name: 'Zoë', categoryId: -1, status: 'sold' }],
  ])('changes %s and nothing else', async (_, change) => {
    const { id } = await create();
    const changed = { id, name: 'Rex', categoryId: 7, status: 'available', ...change };
    expect((await patch(id, change).expect(200)).body).toEqual(changed);
    expect((await client.get(`/v1/pets/${id}`)).body).toEqual(changed);
  });

  it.each(['application/json', 'application/merge-patch+json'])('accepts %s', async (type) => {
    const { id } = await create();
    await client.patch(`/v1/pets/${id}`).type(type).send('{"name":"Zoë"}').expect(200);
  });

  it.each([
    ['available', 'pending'],
    ['available', 'sold'],
    ['pending', 'available'],
    ['pending', 'sold'],
    ['available', 'available'],
    ['sold', 'sold'],
  ])('lets a pet that is %s become %s', async (status, to) => {
    const { id } = await create({ status });
    expect((await patch(id, { status: to }).expect(200)).body).toMatchObject({ status: to });
  });

  it.each([
    ['sold', 'available'],
    ['sold', 'pending'],
  ])('refuses the change from %s to %s with 409', async (status, to) => {
    const { id } = await create({ status });
    const { body } = await patch(id, { status: to, name: 'Zoë' }).expect(409);
    expect(body).toEqual({
      code: 'invalid_status_transition',
      message: `A pet that is ${status} cannot become ${to}.`,
      status: 409,
    });
    expect((await client.get(`/v1/pets/${id}`)).body).toMatchObject({ name: 'Rex', status });
  });

  it.each([
    ['nothing', {}, 'body'],
    ['a null', { name: null }, 'name'],
    ['a null status', { status: null }, 'status'],
    ['an unknown property', { colour: 'red' }, 'colour'],
    ['an id', { id: 5 }, 'id'],
    ['an unknown status', { status: 'lost' }, 'status'],
    ['an empty name', { name: '' }, 'name'],
    ['a fraction', { categoryId: 1.5 }, 'categoryId'],
  ])('refuses %s with 400', async (_, change, field) => {
    const { id } = await create();
    expect((await patch(id, change).expect(400)).body).toMatchObject({
      code: 'validation_failed',
      details: [{ field }],
    });
  });

  it.each(['0', '999999999', '9223372036854775808', 'abc'])('returns 404 for the id %s', async (id) => {
    expect((await patch(id, { name: 'Zoë' }).expect(404)).body).toMatchObject({ code: 'pet_not_found' });
  });

  it('refuses another media type with 415', async () => {
    const { id } = await create();
    await client.patch(`/v1/pets/${id}`).type('text/plain').send('name=Zoë').expect(415);
    for (const type of ['application/json', 'application/merge-patch+json'])
      await client.patch(`/v1/pets/${id}`).type(`${type}; charset=utf-16`).send('{"name":"Z"}').expect(415);
  });

  it('refuses a new status for a pet held by an open order, and allows other changes', async () => {
    const { id } = await create({ status: 'pending' });
    await reserve(id);
    expect((await patch(id, { status: 'sold' }).expect(409)).body).toMatchObject({ code: 'pet_reserved' });
    await patch(id, { name: 'Zoë', status: 'pending' }).expect(200);
  });
});

describe('If-Match', () => {
  it.each([
    ['the version', (etag: string) => etag],
    ['it among others', (etag: string) => `"other", ${etag}`],
    ['any', () => '*'],
  ])('allows a change for %s', async (_, header) => {
    const { id, etag } = await create();
    await patch(id, { name: 'Zoë' }).set('If-Match', header(etag)).expect(200);
  });

  it('prevents lost updates: the second of two changes to a version gets 412', async () => {
    const { id, etag } = await create();
    const changed = await patch(id, { name: 'Zoë' }).set('If-Match', etag).expect(200);
    const { body } = await patch(id, { name: 'Max' }).set('If-Match', etag).expect(412);
    expect(body).toMatchObject({ code: 'precondition_failed', status: 412 });
    await patch(id, { name: 'Max' }).set('If-Match', String(changed.headers.etag)).expect(200);
  });

  it('allows one of ten concurrent changes to a version', async () => {
    const { id, etag } = await create();
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, i) => patch(id, { name: `Rex ${i}` }).set('If-Match', etag)),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(412)]);
  });

  it('says of a weak tag that a proxy made it, and refuses what is no tag', async () => {
    const { id, etag } = await create();
    const weak = await patch(id, { name: 'Zoë' }).set('If-Match', `W/${etag}`).expect(412);
    expect(weak.body).toMatchObject({ message: expect.stringContaining('"Accept-Encoding: identity"') });
    const { body } = await patch(id, { name: 'Zoë' }).set('If-Match', etag.slice(1, -1)).expect(400);
    expect(body).toMatchObject({ details: [{ in: 'header', field: 'If-Match', code: 'format' }] });
  });

  it('applies to DELETE', async () => {
    const { id, etag } = await create();
    await client.delete(`/v1/pets/${id}`).set('If-Match', '"other"').expect(412);
    await client.delete(`/v1/pets/${id}`).set('If-Match', etag).expect(204);
  });

  it('returns 404 for a missing pet, even with *', async () => {
    await patch(999_999, { name: 'Zoë' }).set('If-Match', '*').expect(404);
  });
});

describe('DELETE /v1/pets/{petId}', () => {
  it('removes a pet: 204 without a body, then 404', async () => {
    const { id } = await create();
    const { text } = await client.delete(`/v1/pets/${id}`).expect(204);
    expect(text).toBe('');
    await client.delete(`/v1/pets/${id}`).expect(404);
    await client.get(`/v1/pets/${id}`).expect(404);
  });

  it('refuses a pet held by an open order, with 409', async () => {
    const { id } = await create({ status: 'pending' });
    await reserve(id);
    expect((await client.delete(`/v1/pets/${id}`).expect(409)).body).toMatchObject({ code: 'pet_reserved' });
    await client.get(`/v1/pets/${id}`).expect(200);
  });
});

describe('events of pets', () => {
  it('report each change once, with the pet after it', async () => {
    const { id } = await create();
    await patch(id, { name: 'Zoë' }).expect(200);
    await patch(id, { name: 'Zoë' }).expect(200); // changes nothing
    await patch(id, { status: 'pending', categoryId: 8 }).expect(200);
    await patch(id, { status: 'lost' }).expect(400);
    await client.delete(`/v1/pets/${id}`).expect(204);
    const pet = { id, name: 'Zoë', categoryId: 8, status: 'pending' };
    expect(await recordedEvents(petstore, { pet: id })).toEqual([
      { type: 'pet.created', data: { id, name: 'Rex', categoryId: 7, status: 'available' } },
      { type: 'pet.updated', data: { id, name: 'Zoë', categoryId: 7, status: 'available' } },
      { type: 'pet.status_changed', data: { ...pet, previousStatus: 'available' } },
      { type: 'pet.deleted', data: pet },
    ]);
  });

  it('do not include a refused change', async () => {
    const { id } = await create({ status: 'sold' });
    await patch(id, { status: 'available' }).expect(409);
    await patch(id, { name: 'Zoë' }).set('If-Match', '"other"').expect(412);
    expect(await recordedEvents(petstore, { pet: id })).toHaveLength(1);
  });
});
