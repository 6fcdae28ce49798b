import type { Response } from 'supertest';
import { Petstore } from '../support/petstore.js';
import { recordedEvents } from '../support/recorded-events.js';

interface Category {
  id: number;
  name: string;
  parentId?: number;
}

let petstore: Petstore;
let client: ReturnType<Petstore['client']>;

beforeAll(async () => {
  petstore = await Petstore.start();
  client = petstore.client(await petstore.key('enterprise'));
});
afterAll(() => petstore.stop());

let count = 0;
const fresh = () => `Category ${++count}`;

async function create(category: Partial<Category> = {}) {
  const { body, headers } = await client
    .post('/v1/categories')
    .send({ name: fresh(), ...category })
    .expect(201);
  return { ...(body as Category), etag: String(headers.etag), location: String(headers.location) };
}

const patch = (id: number | string, change: object) => client.patch(`/v1/categories/${id}`).send(change);
const remove = (id: number | string) => client.delete(`/v1/categories/${id}`);
const get = async (id: number) => (await client.get(`/v1/categories/${id}`).expect(200)).body as Category;

describe('POST /v1/categories', () => {
  it('adds a category, which can then be read', async () => {
    const { location, etag, ...category } = await create({ name: 'Dogs' });
    expect(category).toEqual({ id: expect.any(Number), name: 'Dogs' });
    const { body, headers } = await client.get(location).expect(200);
    expect(body).toEqual(category);
    expect(headers.etag).toBe(etag);
  });

  it('adds a subcategory', async () => {
    const parent = await create();
    expect(await create({ parentId: parent.id })).toMatchObject({ parentId: parent.id });
  });

  it.each([
    ['Cats', 'CATS'],
    ['Zoë', 'zOË'],
    ['Straße', 'STRASSE'],
    ['STRAẞEN', 'strassen'],
    ['ΟΔΟΣ', 'οδοσ'],
    ['ΑΣ ΟΔΟΣ', 'ας οδος'],
    ['ÉCUREUILS', 'e\u0301cureuils'],
    ['Кошки', 'КОШКИ'],
    ['oﬃce', 'OFFICE'],
    ['ǰ', 'J\u030c'],
    ['ᾳ', 'ΑΙ'],
    ['\u03b1\u0345\u0301', '\u0391\u0301\u0399'],
    ['Ꭰ', 'ꭰ'],
    ['İ', 'i\u0307'],
    ['𐐀', '𐐨'],
    ['a\\ıI', 'A\\ıi'],
  ])('accepts %s and then refuses %s with 409', async (name, other) => {
    await create({ name });
    const { body } = await client.post('/v1/categories').send({ name: other }).expect(409);
    expect(body).toEqual({
      code: 'category_name_taken',
      message: `There is already a category named ${other}.`,
      status: 409,
    });
  });

  it('gives a name to one of ten concurrent requests', async () => {
    const name = fresh();
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => client.post('/v1/categories').send({ name })),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(9).fill(409)]);
  });

  it('refuses a missing parent with 422', async () => {
    const { body } = await client
      .post('/v1/categories')
      .send({ name: fresh(), parentId: 999_999 })
      .expect(422);
    expect(body).toMatchObject({ code: 'parent_category_not_found' });
  });

  it('accepts names that differ in more than case', async () => {
    const names = [
      'x²',
      'x2',
      'ｘ2',
      '①',
      '1',
      'Ångström',
      'Angstrom',
      'ı',
      'i',
      'ıi',
      'iı',
      '\\.',
      '\\\\.',
      '\\ı',
    ];
    for (const name of names) await create({ name });
  });
});

describe('PATCH /v1/categories/{categoryId}', () => {
  it('changes the name and keeps the parent', async () => {
    const parent = await create();
    const { id } = await create({ parentId: parent.id });
    const name = fresh();
    expect((await patch(id, { name }).expect(200)).body).toEqual({ id, name, parentId: parent.id });
    expect(await get(id)).toEqual({ id, name, parentId: parent.id });
  });

  it('moves a category, and with null to the top level', async () => {
    const [one, two] = [await create(), await create()];
    const { id, name } = await create({ parentId: one.id });
    expect((await patch(id, { parentId: two.id }).expect(200)).body).toEqual({ id, name, parentId: two.id });
    expect((await patch(id, { parentId: null }).expect(200)).body).toEqual({ id, name });
  });

  it('lets a category change the case of its own name', async () => {
    const { id } = await create({ name: 'birds' });
    expect((await patch(id, { name: 'Birds' }).expect(200)).body).toEqual({ id, name: 'Birds' });
  });

  it('refuses a name that is taken with 409', async () => {
    const [one, two] = [await create(), await create()];
    expect((await patch(two.id, { name: one.name.toUpperCase() }).expect(409)).body).toMatchObject({
      code: 'category_name_taken',
    });
  });

  it('refuses a cycle of one, two and three with 409', async () => {
    const top = await create();
    const middle = await create({ parentId: top.id });
    const bottom = await create({ parentId: middle.id });
    for (const parentId of [top.id, middle.id, bottom.id])
      expect((await patch(top.id, { parentId }).expect(409)).body).toMatchObject({ code: 'category_cycle' });
    expect(await get(top.id)).not.toHaveProperty('parentId');
  });

  it('creates no cycle if many are concurrently moved below each other, and lets none time out', async () => {
    const ids: number[] = [];
    for (let i = 0; i < 5; i++) ids.push((await create()).id);
    const responses = await Promise.all(
      ids.flatMap((id) => ids.filter((one) => one !== id).map((parentId) => patch(id, { parentId }))),
    );
    expect(responses.filter(({ status }) => ![200, 409].includes(status))).toEqual([]);
    const rows = await petstore.query(
      `WITH RECURSIVE below AS (
         SELECT id FROM categories WHERE parent_id IS NULL
         UNION ALL SELECT child.id FROM categories child JOIN below ON child.parent_id = below.id
       ) SELECT id FROM below WHERE id = ANY ($1)`,
      [ids],
    );
    expect(rows).toHaveLength(ids.length); // a category in a cycle would not be below the root
  });

  it('honours If-Match', async () => {
    const { id, etag } = await create();
    const changed = await patch(id, { name: fresh() }).set('If-Match', etag).expect(200);
    await patch(id, { name: fresh() }).set('If-Match', etag).expect(412);
    await patch(id, { name: fresh() }).set('If-Match', String(changed.headers.etag)).expect(200);
  });

  it.each([
    ['nothing', {}, 'body'],
    ['a null name', { name: null }, 'name'],
    ['an id', { id: 5 }, 'id'],
  ])('refuses %s with 400', async (_, change, field) => {
    const { id } = await create();
    expect((await patch(id, change).expect(400)).body).toMatchObject({ details: [{ field }] });
  });

  it('returns 404 for a missing category', async () => {
    for (const id of ['0', '999999', '9223372036854775808', 'abc'])
      expect((await patch(id, { name: fresh() }).expect(404)).body).toMatchObject({
        code: 'category_not_found',
      });
  });
});

describe('DELETE /v1/categories/{categoryId}', () => {
  it('removes a category and keeps its pets', async () => {
    const { id } = await create();
    const { body } = await client.post('/v1/pets').send({ name: 'Rex', categoryId: id }).expect(201);
    await remove(id).expect(204);
    await remove(id).expect(404);
    await client.get(`/v1/categories/${id}`).expect(404);
    await client.get(`/v1/categories/${id}/pets`).expect(404);
    expect((await client.get(`/v1/pets?categoryId=${id}`).expect(200)).body).toEqual([body]);
  });

  it('refuses a category with subcategories, with 409', async () => {
    const { id } = await create();
    const child = await create({ parentId: id });
    expect((await remove(id).expect(409)).body).toMatchObject({ code: 'category_has_children' });
    await remove(child.id).expect(204);
    await remove(id).expect(204);
  });

  it('honours If-Match', async () => {
    const { id, etag } = await create();
    await remove(id).set('If-Match', '"other"').expect(412);
    await remove(id).set('If-Match', etag).expect(204);
  });
});

describe('GET /v1/categories', () => {
  it('returns pages in ascending order of id', async () => {
    const added = [await create(), await create(), await create()];
    const ids: number[] = [];
    for (let path: string | undefined = '/v1/categories?limit=2'; path !== undefined;) {
      const { body, headers }: Response = await client.get(path).expect(200);
      ids.push(...(body as Category[]).map(({ id }) => id));
      path = /<http:\/\/petstore\.test([^>]+)>; rel="next"/.exec(headers.link ?? '')?.[1];
    }
    expect(ids).toEqual([...ids].sort((a, b) => a - b));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(added.map(({ id }) => id)));
  });
});

describe('GET /v1/categories/{categoryId}/pets', () => {
  it('lists only the pets of the category itself, in pages', async () => {
    const [one, two] = [await create(), await create()];
    for (const categoryId of [one.id, two.id, one.id, one.id])
      await client.post('/v1/pets').send({ name: 'Rex', categoryId }).expect(201);
    const first = await client.get(`/v1/categories/${one.id}/pets?limit=2`).expect(200);
    const next = /<http:\/\/petstore\.test([^>]+)>/.exec(String(first.headers.link))?.[1] ?? '';
    const rest = await client.get(next).expect(200);
    const pets = [...(first.body as { categoryId: number }[]), ...(rest.body as { categoryId: number }[])];
    expect(pets.map(({ categoryId }) => categoryId)).toEqual([one.id, one.id, one.id]);
  });

  it('filters by status', async () => {
    const { id } = await create();
    for (const status of ['available', 'sold'])
      await client.post('/v1/pets').send({ name: 'Rex', categoryId: id, status }).expect(201);
    const { body } = await client.get(`/v1/categories/${id}/pets?status=sold`).expect(200);
    expect(body).toEqual([expect.objectContaining({ categoryId: id, status: 'sold' })]);
    await client.get(`/v1/categories/${id}/pets?status=lost`).expect(400);
    await client.get(`/v1/categories/${id}/pets?categoryId=1`).expect(400);
  });

  it('returns 404 for a missing category', async () => {
    expect((await client.get('/v1/categories/999999/pets').expect(404)).body).toMatchObject({
      code: 'category_not_found',
    });
  });
});

describe('events of categories', () => {
  it('report each change once', async () => {
    const { id, name } = await create();
    await patch(id, { name }).expect(200); // changes nothing
    await patch(id, { parentId: null }).expect(200); // nor does this
    await patch(id, { name: `${name}!` }).expect(200);
    await remove(id).expect(204);
    expect(await recordedEvents(petstore, { category: id })).toEqual([
      { type: 'category.created', data: { id, name } },
      { type: 'category.updated', data: { id, name: `${name}!` } },
      { type: 'category.deleted', data: { id, name: `${name}!` } },
    ]);
  });
});
