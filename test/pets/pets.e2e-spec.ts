import type { Response } from 'supertest';
import { Petstore } from '../support/petstore.js';

let petstore: Petstore;
let client: ReturnType<Petstore['client']>;

beforeAll(async () => {
  petstore = await Petstore.start();
  client = petstore.client(await petstore.key('enterprise'));
});
afterAll(() => petstore.stop());

interface Pet {
  id: number;
  name: string;
  categoryId: number;
  status: string;
}

const invalid = (field: string) =>
  expect.objectContaining({
    code: 'validation_failed',
    status: 400,
    details: [expect.objectContaining({ field })],
  }) as unknown;

async function createPets(count: number, status: string): Promise<void> {
  await petstore.query(
    `INSERT INTO pets (name, category_id, status) SELECT 'Rex', 1, $2 FROM generate_series(1, $1)`,
    [count, status],
  );
}

/** Follows `Link` headers from a path to the last page. */
async function walk(
  path: string,
  betweenPages: () => Promise<void> = () => Promise.resolve(),
): Promise<Pet[][]> {
  const pages: Pet[][] = [];
  for (let next: string | undefined = path; next !== undefined;) {
    const { body, headers }: Response = await client.get(next).expect(200);
    pages.push(body as Pet[]);
    const link: string | undefined = headers.link;
    next =
      link === undefined ? undefined : /^<http:\/\/petstore\.test(\/[^>]+)>; rel="next"$/.exec(link)?.[1];
    await betweenPages();
  }
  return pages;
}

async function create(pet: Partial<Pet> = {}) {
  const { body, headers } = await client
    .post('/v1/pets')
    .send({ name: 'Rex', categoryId: 7, ...pet })
    .expect(201);
  return { ...(body as Pet), etag: String(headers.etag), location: String(headers.location) };
}

describe('GET /v1/pets', () => {
  beforeAll(async () => {
    await petstore.query('TRUNCATE pets RESTART IDENTITY CASCADE');
    await createPets(30, 'available');
    await createPets(5, 'pending');
    await createPets(10, 'sold');
  });

  it('returns 200 with a bare array of pets, 20 by default', async () => {
    const { body } = await client.get('/v1/pets').expect(200).expect('Content-Type', 'application/json');
    expect(body).toHaveLength(20);
    expect((body as Pet[])[0]).toEqual({ id: 1, name: 'Rex', categoryId: 1, status: 'available' });
  });

  it.each(['1', '2', '44', '99', '100'])('returns at most limit=%s pets', async (limit) => {
    const { body } = await client.get(`/v1/pets?limit=${limit}`).expect(200);
    expect(body).toHaveLength(Math.min(Number(limit), 45));
  });

  it.each([
    '0',
    '101',
    '-1',
    '1e1',
    '%205',
    '5%20',
    '0x10',
    '',
    '1.0',
    '+5',
    'ten',
    '٣',
    '99999999999999999999',
  ])('refuses limit=%s with 400 validation_failed', async (limit) => {
    const { body } = await client.get(`/v1/pets?limit=${limit}`).expect(400);
    expect(body).toEqual(invalid('limit'));
  });

  it('takes the cursor `first` for that of the first page', async () => {
    const [first, named] = [await walk('/v1/pets?limit=30'), await walk('/v1/pets?limit=30&cursor=first')];
    expect(named).toEqual(first);
  });

  it('refuses a repeated limit with 400', async () => {
    expect((await client.get('/v1/pets?limit=1&limit=2').expect(400)).body).toEqual(invalid('limit'));
  });

  it.each([
    ['available', 30],
    ['pending', 5],
    ['sold', 10],
  ])('returns only pets that are %s', async (status, count) => {
    const { body } = await client.get(`/v1/pets?status=${status}&limit=100`).expect(200);
    expect((body as Pet[]).filter((pet) => pet.status === status)).toHaveLength(count);
    expect(body).toHaveLength(count);
  });

  it.each(['lost', '', 'Available', 'available,sold'])('refuses status=%s with 400', async (status) => {
    expect((await client.get(`/v1/pets?status=${status}`).expect(400)).body).toEqual(invalid('status'));
  });

  it('refuses a repeated status with 400', async () => {
    expect((await client.get('/v1/pets?status=sold&status=sold').expect(400)).body).toEqual(
      invalid('status'),
    );
  });

  it('refuses an unknown query parameter with 400 and names it', async () => {
    expect((await client.get('/v1/pets?colour=red').expect(400)).body).toEqual(invalid('colour'));
  });

  it('names every invalid parameter', async () => {
    const { body } = await client.get('/v1/pets?limit=0&status=lost&colour=red').expect(400);
    const fields = (body as { details: { field: string }[] }).details.map(({ field }) => field);
    expect(fields.sort()).toEqual(['colour', 'limit', 'status']);
  });

  describe('pages', () => {
    it('come in ascending order of id and visit every pet once', async () => {
      const pages = await walk('/v1/pets?limit=7');
      expect(pages.map((page) => page.length)).toEqual([7, 7, 7, 7, 7, 7, 3]);
      expect(pages.flat().map(({ id }) => id)).toEqual(Array.from({ length: 45 }, (_, i) => i + 1));
    });

    it('have no Link on the last page, even if it is full', async () => {
      expect(await walk('/v1/pets?limit=15')).toHaveLength(3);
    });

    it('keep the filter', async () => {
      const pages = await walk('/v1/pets?limit=4&status=sold');
      expect(pages.flat().every(({ status }) => status === 'sold')).toBe(true);
      expect(pages.map((page) => page.length)).toEqual([4, 4, 2]);
    });

    it('visit every pet once while pets are being added', async () => {
      let added = 0;
      const pages = await walk('/v1/pets?limit=10', async () => {
        if (added++ < 3) await createPets(5, 'available');
      });
      const ids = pages.flat().map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids).toEqual(Array.from({ length: 60 }, (_, i) => i + 1));
    });

    it.each([
      ['empty', ''],
      ['cut off', 'x'],
      ['not base64url', '%00'],
      ['too short', 'AAAA'],
      ['made up', 'AAAAAAAAABSf3nP2r0yY3B'],
      ['too long', 'a'.repeat(5000)],
    ])('refuse a cursor that is %s with 400 invalid_cursor', async (_, cursor) => {
      const { body } = await client.get(`/v1/pets?cursor=${cursor}`).expect(400);
      expect(body).toMatchObject({ code: 'invalid_cursor', status: 400 });
    });

    it('refuse a cursor made with another filter with 400 invalid_cursor', async () => {
      const { headers } = await client.get('/v1/pets?limit=2&status=sold').expect(200);
      const cursor = /cursor=([^&>]+)/.exec(headers.link ?? '')?.[1] ?? '';
      for (const query of [`cursor=${cursor}`, `status=available&cursor=${cursor}`]) {
        const { body } = await client.get(`/v1/pets?${query}`).expect(400);
        expect(body).toMatchObject({ code: 'invalid_cursor' });
      }
      await client.get(`/v1/webhooks?cursor=${cursor}`).expect(400);
    });
  });
});

describe('POST /v1/pets', () => {
  const post = (body: string | object) =>
    client.post('/v1/pets').set('Content-Type', 'application/json').send(body);

  it('returns 201 with the created pet and its id', async () => {
    const { body } = await post({ name: 'Luna', categoryId: 7, status: 'pending' }).expect(201);
    const { id, ...rest } = body as Pet;
    expect(Number.isSafeInteger(id)).toBe(true);
    expect(rest).toEqual({ name: 'Luna', categoryId: 7, status: 'pending' });
    expect((await client.get(`/v1/pets/${id}`).expect(200)).body).toEqual(body);
  });

  it.each(['9223372036854775807', '-9223372036854775808'])(
    'keeps all digits of categoryId %s',
    async (digits) => {
      const { text } = await post(`{"name":"Rex","categoryId":${digits}}`).expect(201);
      expect(text).toContain(`"categoryId":${digits}`);
    },
  );

  it('makes a pet available when no status is given', async () => {
    const { body } = await post({ name: 'Milo', categoryId: 7 }).expect(201);
    expect(body).toMatchObject({ status: 'available' });
  });

  it.each(['name', 'categoryId'])('refuses a body without %s with 400', async (field) => {
    const body = { name: 'Rex', categoryId: 1, [field]: undefined };
    expect((await post(body).expect(400)).body).toEqual(invalid(field));
  });

  it.each([
    ['an empty name', { name: '' }, 'name'],
    ['a name of white space', { name: ' \n\t ' }, 'name'],
    ['a name of 201 characters', { name: 'x'.repeat(201) }, 'name'],
    ['a name with U+0000', { name: 'a\0b' }, 'name'],
    ['a name that is a number', { name: 5 }, 'name'],
    ['a name that is null', { name: null }, 'name'],
    ['an unknown status', { status: 'lost' }, 'status'],
    ['a status that is null', { status: null }, 'status'],
    ['a status that is an array', { status: ['sold'] }, 'status'],
    ['an unknown field', { colour: 'red' }, 'colour'],
    ['an id of its own', { id: 5 }, 'id'],
    ['a categoryId that is a text', { categoryId: '7' }, 'categoryId'],
    ['a categoryId that is null', { categoryId: null }, 'categoryId'],
    ['a categoryId that is a boolean', { categoryId: true }, 'categoryId'],
    ['a categoryId that is an object', { categoryId: {} }, 'categoryId'],
  ])('refuses %s with 400', async (_, change, field) => {
    expect((await post({ name: 'Rex', categoryId: 1, ...change }).expect(400)).body).toEqual(invalid(field));
  });

  it.each([
    ['200 letters', 'x'.repeat(200)],
    ['200 characters beyond the basic plane', '🐶'.repeat(200)],
    ['joined emoji', '👩‍👩‍👧‍👦'.repeat(28)],
    ['white space around it', ' a '],
    ['bidirectional text', 'a\u202eb'],
  ])('keeps a name of %s', async (_, name) => {
    expect((await post({ name, categoryId: 1 }).expect(201)).body).toMatchObject({ name });
  });

  it.each(['[]', '"text"', '5', 'null', 'true'])('refuses the body %s with 400', async (body) => {
    expect((await post(body).expect(400)).body).toMatchObject({ code: 'validation_failed', status: 400 });
  });

  it('refuses a missing body with 400', async () => {
    expect((await client.post('/v1/pets').expect(400)).body).toMatchObject({
      code: 'validation_failed',
      status: 400,
    });
  });

  it.each(['{', '{"name":}', "{'name':'x'}", '{"a":1}}', '{"a":01}', 'undefined'])(
    'refuses the malformed JSON %s with 400 invalid_json',
    async (body) => {
      expect((await post(body).expect(400)).body).toMatchObject({ code: 'invalid_json', status: 400 });
    },
  );

  it('returns the Location of the pet, and the same ETag as a GET', async () => {
    const { id, location, etag } = await create();
    expect(location).toBe(`/v1/pets/${id}`);
    const { headers } = await client.get(location).expect(200);
    expect(headers.etag).toBe(etag);
  });
});

describe('GET /v1/pets?categoryId=', () => {
  it('filters by category, and by status too', async () => {
    const sold = await create({ categoryId: 4711, status: 'sold' });
    const other = await create({ categoryId: 4711 });
    const ids = async (query: string) =>
      ((await client.get(`/v1/pets?${query}`).expect(200)).body as Pet[]).map(({ id }) => id);
    expect(await ids('categoryId=4711')).toEqual([sold.id, other.id]);
    expect(await ids('categoryId=4711&status=sold')).toEqual([sold.id]);
    expect((await client.get('/v1/pets?categoryId=x').expect(400)).body).toEqual(invalid('categoryId'));
  });
});

describe('GET /v1/pets?sort=', () => {
  it.each(['limit=50', 'limit=7&status=sold'])('-id is newest first: %s', async (query) => {
    const oldestFirst = (await walk(`/v1/pets?${query}`)).flat();
    expect(oldestFirst.length).toBeGreaterThan(9);
    expect((await walk(`/v1/pets?${query}&sort=id`)).flat()).toEqual(oldestFirst);
    expect((await walk(`/v1/pets?${query}&sort=-id`)).flat()).toEqual([...oldestFirst].reverse());
  });

  it('refuses other orders with 400, and the cursor of another one', async () => {
    expect((await client.get('/v1/pets?sort=status').expect(400)).body).toEqual(invalid('sort'));
    expect((await client.get('/v1/pets?sort=id&sort=id').expect(400)).body).toEqual(invalid('sort'));
    const { headers } = await client.get('/v1/pets?limit=1&sort=-id').expect(200);
    const cursor = /cursor=([\w-]+)/.exec(String(headers.link))?.[1] ?? '';
    expect((await client.get(`/v1/pets?cursor=${cursor}`).expect(400)).body).toMatchObject({
      code: 'invalid_cursor',
    });
  });
});

describe('GET /v1/pets?ids=', () => {
  const list = async (query: string) => (await client.get(`/v1/pets?${query}`).expect(200)).body as Pet[];

  it('returns the existing pets with these ids, in ascending order', async () => {
    const [one, two] = [await create(), await create({ status: 'sold' })];
    const ids = [two.id, 999_999, one.id, one.id].join();
    expect((await list(`ids=${ids}`)).map(({ id }) => id)).toEqual([one.id, two.id]);
    expect((await list(`ids=${ids}&status=sold`)).map(({ id }) => id)).toEqual([two.id]);
    expect(await list(`ids=${two.id}&ids=${one.id},999999&ids=${one.id}`)).toEqual(await list(`ids=${ids}`));
    expect(await list('ids=9223372036854775807')).toEqual([]);
  });

  it('with one id returns the ETag of the pet, which If-Match accepts', async () => {
    const { id, etag } = await create();
    const page = await client.get(`/v1/pets?ids=${id}`).expect(200);
    expect(page.headers.etag).toBe(etag);
    expect((await client.head(`/v1/pets?ids=${id}&status=available`).expect(200)).headers.etag).toBe(etag);
    await client
      .patch(`/v1/pets/${id}`)
      .send({ name: 'Zoë' })
      .set('If-Match', String(page.headers.etag))
      .expect(200);
    await client.delete(`/v1/pets/${id}`).set('If-Match', String(page.headers.etag)).expect(412);
  });

  it('with one id returns 304 until the pet changes or is removed', async () => {
    const { id, etag } = await create();
    const ask = () => client.get(`/v1/pets?ids=${id}&status=available`).set('If-None-Match', etag);
    await ask().expect(304);
    await client.patch(`/v1/pets/${id}`).send({ status: 'pending' }).expect(200);
    const { body, headers } = await ask().expect(200);
    expect(body).toEqual([]);
    expect(headers.etag).not.toBe(etag);
  });

  it('with several ids returns an ETag of the page, even if only one pet is found', async () => {
    const { id, etag } = await create();
    expect((await client.get(`/v1/pets?ids=${id},999999`).expect(200)).headers.etag).not.toBe(etag);
  });

  it('returns pages', async () => {
    const pets = [await create(), await create(), await create()];
    const ids = pets.map(({ id }) => id).join();
    const first = await client.get(`/v1/pets?ids=${ids}&limit=2`).expect(200);
    const next = /<http:\/\/petstore\.test([^>]+)>/.exec(String(first.headers.link))?.[1] ?? '';
    expect((first.body as Pet[]).concat((await client.get(next).expect(200)).body as Pet[])).toHaveLength(3);
  });

  it.each(['ids[]=1&ids[]=2', 'ids[]=1', 'ids[0]=1'])('refuses %s, and says what to send', async (query) => {
    const { body } = await client.get(`/v1/pets?${query}`).expect(400);
    expect((body as { message: string }).message).toMatch(
      /^Unknown parameter: ids\[0?\] \(send a list without brackets: ids=1&ids=2\)\.$/,
    );
  });

  const many = (count: number) => Array.from({ length: count }, (_, i) => i + 1).join();

  it('accepts 100 ids', async () => {
    await client.get(`/v1/pets?ids=${many(100)}`).expect(200);
  });

  it.each([
    ['none', ''],
    ['a word', '1,two'],
    ['a gap', '1,,2'],
    ['more than 64 bits', '9223372036854775808'],
    ['101', many(101)],
    ['101 in several parameters', `${many(50)}&ids=${many(51)}`],
    ['a gap beside another parameter', '1,&ids=2'],
  ])('refuses %s with 400', async (_, ids) => {
    expect((await client.get(`/v1/pets?ids=${ids}`).expect(400)).body).toMatchObject({
      code: 'validation_failed',
      details: [{ field: 'ids', in: 'query' }],
    });
  });
});
