import fc from 'fast-check';
import { Petstore } from '../support/petstore.js';

interface Pet {
  readonly id: number;
  readonly name: string;
  readonly status: string;
}

let petstore: Petstore;
let client: ReturnType<Petstore['client']>;

beforeAll(async () => {
  petstore = await Petstore.start();
  client = petstore.client(await petstore.key());
});
afterAll(() => petstore.stop());
beforeEach(() => petstore.query('TRUNCATE pets CASCADE'));

async function add(...names: readonly string[]): Promise<void> {
  for (const name of names) await client.post('/v1/pets').send({ name, categoryId: 1 }).expect(201);
}

/** Rows that need no events. */
const insert = (names: readonly string[], status = 'available') =>
  petstore.query(
    `INSERT INTO pets (name, category_id, status) SELECT name, 1, $2 FROM unnest($1::text[]) WITH ORDINALITY AS n (name, i) ORDER BY i`,
    [names, status],
  );

const list = async (query: Record<string, string>): Promise<Pet[]> =>
  (await client.get('/v1/pets').query(query).expect(200)).body as Pet[];

const names = async (query: Record<string, string>) => (await list(query)).map(({ name }) => name);

async function walk(
  query: Record<string, string>,
  between: () => Promise<unknown> = () => Promise.resolve(),
): Promise<Pet[]> {
  const pets: Pet[] = [];
  let path = `/v1/pets?${new URLSearchParams(query).toString()}`;
  for (;;) {
    const { body, headers } = await client.get(path).expect(200);
    pets.push(...(body as Pet[]));
    const next = /<http:\/\/petstore\.test([^>]+)>; rel="next"/.exec(headers.link ?? '')?.[1];
    if (next === undefined) return pets;
    expect(headers.link?.length).toBeLessThan(8_192);
    path = next;
    await between();
  }
}

describe('GET /v1/pets?namePrefix=', () => {
  it('finds pets whatever the case and the normal form, in the order of names', async () => {
    await add(
      'Rexona',
      'rex',
      'REX II',
      'Max',
      'T-Rex',
      'Straße',
      'STRASSE',
      'Ångström',
      'A\u030angel',
      'angora',
    );
    expect(await names({ namePrefix: 're' })).toEqual(['rex', 'REX II', 'Rexona']);
    expect(await names({ namePrefix: 'STRASSE' })).toEqual(['Straße', 'STRASSE']);
    expect(await names({ namePrefix: 'straß' })).toEqual(['Straße', 'STRASSE']);
    expect(await names({ namePrefix: 'ångs' })).toEqual(['Ångström']);
    expect(await names({ namePrefix: 'a\u030ang' })).toEqual(['A\u030angel', 'Ångström']);
    expect(await names({ namePrefix: 'ang' })).toEqual(['angora']);
    expect(await names({ namePrefix: 'nobody' })).toEqual([]);
  });

  it.each([
    ['ΟΔΟΣ', 'οδοσσός'], // lower case has two letters for Σ, and the place decides which
    ['οδος', 'ΟΔΟΣΣΌΣ'],
    ['straße', 'STRAẞE'],
    ['STRAẞE', 'Strasse'],
    ['Ϊ́', 'ΐ'], // the capital has no letter of its own
    ['ΐ', 'Ϊ́'.normalize('NFD')],
  ])('of %s finds %s', async (prefix, name) => {
    await add(name);
    expect(await names({ namePrefix: prefix })).toEqual([name]);
  });

  it('finds each letter in every case and normal form', async () => {
    const missed = await petstore.query(`
      WITH letters AS MATERIALIZED (SELECT chr(n) AS letter FROM generate_series(1, 12000) AS n),
      spelled AS MATERIALIZED (SELECT letter, unnest(ARRAY[
        lower(letter COLLATE "und-x-icu"), upper(letter COLLATE "und-x-icu"), initcap(letter COLLATE "und-x-icu")
      ]) AS spelling FROM letters)
      SELECT letter, spelling FROM spelled
      WHERE folded_pet_name(letter) <> ANY (ARRAY[
        folded_pet_name(spelling), folded_pet_name(normalize(spelling)), folded_pet_name(normalize(spelling, NFD))
      ])`);
    expect(missed).toEqual([]);
  });

  it.each(['%', '_', '\\', "'", '"', ' ', '😀', '\u{10ffff}', '*', '.'])(
    'takes %j for a character like others',
    async (prefix) => {
      await add(`${prefix}a`, 'other', `${prefix}${'\u{10ffff}'.repeat(100)}`);
      expect(await names({ namePrefix: prefix })).toEqual([
        `${prefix}a`,
        `${prefix}${'\u{10ffff}'.repeat(100)}`,
      ]);
    },
  );

  // The images of PostgreSQL make databases with the collation en_US.
  it.each([
    ['cs-x-icu', 'c', ['Chip', 'Cyril']], // in Czech, ch is a letter after h
    ['en-US-x-icu', 're', ['Re-x', 'Rex']], // é is an e with a difference that comes second
    ['en-US-x-icu', 're-', ['Re-x']],
    ['da-x-icu', 'a', ['Aage', 'Abe']], // in Danish, aa is the last letter
  ])('does not depend on the collation of the database: %s', async (collation, prefix, found) => {
    await petstore.query(`ALTER TABLE pets ALTER name TYPE text COLLATE "${collation}"`);
    try {
      await insert(['Hugo', 'Chip', 'Cyril', 'Abe', 'Aage', 'Réx', 'Rex', 'Re-x', 'Zed', 'Ägir']);
      expect(await names({ namePrefix: prefix })).toEqual(found);
      const inOrder = ['Aage', 'Abe', 'Chip', 'Cyril', 'Hugo', 'Re-x', 'Rex', 'Réx', 'Zed', 'Ägir'];
      expect((await walk({ sort: 'name', limit: '3' })).map(({ name }) => name)).toEqual(inOrder);
    } finally {
      await petstore.query('ALTER TABLE pets ALTER name TYPE text COLLATE "default"');
    }
  });

  it('combines with status, a limit and the order', async () => {
    await insert(['Rex 1', 'Rex 3', 'Max'], 'available');
    await insert(['Rex 2', 'Rex 4'], 'sold');
    expect(await names({ namePrefix: 'rex', status: 'sold' })).toEqual(['Rex 2', 'Rex 4']);
    expect(await names({ namePrefix: 'rex', sort: '-name' })).toEqual(['Rex 4', 'Rex 3', 'Rex 2', 'Rex 1']);
    expect(await names({ namePrefix: 'rex', sort: 'name', limit: '1' })).toEqual(['Rex 1']);
  });

  it('begins every name if it is empty, as in a search box that was cleared', async () => {
    await insert(['Rex', 'anna', '\u{10ffff}', ' '], 'available');
    await insert(['Bella'], 'sold');
    const sorted = [' ', 'anna', 'Bella', 'Rex', '\u{10ffff}'];
    expect(await names({ namePrefix: '' })).toEqual(sorted);
    expect(await names({ namePrefix: '', sort: '-name' })).toEqual(sorted.toReversed());
    expect(await names({ namePrefix: '', status: 'sold' })).toEqual(['Bella']);
    expect((await walk({ namePrefix: '', limit: '2' })).map(({ name }) => name)).toEqual(sorted);
  });

  it.each([
    ['namePrefix=&sort=id', 'sort'],
    ['namePrefix=&ids=1', 'namePrefix'],
    ['namePrefix=&categoryId=1', 'namePrefix'],
    [`namePrefix=${'a'.repeat(201)}`, 'namePrefix'],
    ['namePrefix=%00', 'namePrefix'],
    ['namePrefix=a&namePrefix=b', 'namePrefix'],
    ['namePrefix=a&sort=id', 'sort'],
    ['namePrefix=a&sort=-id', 'sort'],
    ['namePrefix=a&ids=1', 'namePrefix'],
    ['namePrefix=a&categoryId=1', 'namePrefix'],
    ['sort=name&categoryId=1', 'sort'],
    ['sort=-name&categoryId=1', 'sort'],
    ['sort=status', 'sort'],
    ['sort=', 'sort'],
  ])('?%s is refused, naming %s', async (query, field) => {
    const { body } = await client.get(`/v1/pets?${query}`).expect(400);
    expect(body).toMatchObject({
      code: 'validation_failed',
      details: [expect.objectContaining({ in: 'query', field })],
    });
  });

  it('is not for the pets of a category', async () => {
    const { body } = await client.post('/v1/categories').send({ name: 'Dogs' }).expect(201);
    const { id } = body as { id: number };
    await client.get(`/v1/categories/${id}/pets?namePrefix=a`).expect(400);
    await client.get(`/v1/categories/${id}/pets?sort=name`).expect(400);
  });

  it('finds, creates and pages the longest names', async () => {
    const longest = '\u{1d160}'.repeat(200); // 2,400 bytes in its normal form
    await add(longest, longest, longest);
    expect(await walk({ namePrefix: longest, limit: '1' })).toHaveLength(3);
    expect(await walk({ sort: '-name', limit: '2' })).toHaveLength(3);
  });
});

describe('GET /v1/pets?sort=name', () => {
  it('is the order of folded names, and of id where those are equal', async () => {
    await add('b', 'B', 'a', 'Z', 'ä', 'c');
    const pets = await walk({ sort: 'name', limit: '2' });
    expect(pets.map(({ name }) => name)).toEqual(['a', 'b', 'B', 'c', 'Z', 'ä']);
    expect(await walk({ sort: '-name', limit: '2' })).toEqual(pets.toReversed());
  });

  it('sorts the pets of ids', async () => {
    await add('b', 'a', 'c', 'd');
    const ids = (await list({})).slice(0, 3).map(({ id }) => id);
    expect(await names({ ids: ids.join(), sort: 'name' })).toEqual(['a', 'b', 'c']);
    expect((await walk({ ids: ids.join(), sort: '-name', limit: '1' })).map(({ name }) => name)).toEqual([
      'c',
      'b',
      'a',
    ]);
    const { headers } = await client.get(`/v1/pets?ids=${String(ids[0])}&sort=name`).expect(200);
    expect(headers.etag).toBe((await client.get(`/v1/pets/${String(ids[0])}`)).headers.etag);
  });

  it('visits each pet that is not renamed exactly once, while others come, go and are renamed', async () => {
    await insert(Array.from({ length: 60 }, (_, i) => `pet ${i % 7} ${i}`));
    const stay = (await walk({ sort: 'id', limit: '100' })).filter((_, i) => i % 3 > 0).map(({ id }) => id);
    let round = 0;
    const pets = await walk({ sort: 'name', limit: '7' }, async () => {
      await insert([`pet ${++round % 7}`, 'a', 'z']);
      await petstore.query(
        `UPDATE pets SET name = 'pet ' || $1 || name WHERE id = (SELECT id FROM pets WHERE NOT id = ANY ($2) ORDER BY random() LIMIT 1)`,
        [round % 7, stay],
      );
      await petstore.query(
        `DELETE FROM pets WHERE id = (SELECT id FROM pets WHERE NOT id = ANY ($1) ORDER BY random() LIMIT 1)`,
        [stay],
      );
    });
    const visits = pets.map(({ id }) => id).filter((id) => stay.includes(id));
    expect(visits.toSorted((a, b) => a - b)).toEqual(stay);
  });

  it('binds its cursors to filter and order', async () => {
    await add('a1', 'a2', 'a3', 'b1');
    const next = async (query: Record<string, string>) => {
      const { headers } = await client
        .get('/v1/pets')
        .query({ ...query, limit: '1' })
        .expect(200);
      return /cursor=([^&>]+)/.exec(headers.link ?? '')?.[1] ?? '';
    };
    const cursor = await next({ namePrefix: 'a' });
    await client.get('/v1/pets').query({ namePrefix: 'a', cursor }).expect(200);
    for (const other of [
      { namePrefix: 'b' },
      { sort: 'name' },
      { namePrefix: 'a', sort: '-name' },
      { namePrefix: 'a', status: 'sold' },
      {},
    ])
      expect((await client.get('/v1/pets').query({ ...other, cursor })).body).toMatchObject({
        code: 'invalid_cursor',
      });
    const bytes = Buffer.from(cursor, 'base64url');
    const variants = [
      Buffer.concat([bytes, Buffer.from([0xff])]),
      Buffer.concat([bytes, Buffer.from([0])]),
      Buffer.concat([bytes.subarray(0, 16), Buffer.from('b1')]),
      bytes.subarray(0, 16),
      bytes.subarray(0, 15),
    ];
    for (const variant of variants) {
      const { body } = await client
        .get('/v1/pets')
        .query({ namePrefix: 'a', cursor: variant.toString('base64url') })
        .expect(400);
      expect(body).toMatchObject({ code: 'invalid_cursor' });
    }
  });

  it('and every prefix find what a model finds, in the order of code points', async () => {
    const letters = fc.constantFrom(
      ...Array.from('aAbBßẞsSåÅzZ 😀\u{ffff}\u{e000}\u{10000}İiıΣσς'),
      'A\u030a',
      'ﬁ',
    );
    const texts = fc
      .array(letters, { minLength: 1, maxLength: 4 })
      .map((parts) => parts.join(''))
      .filter((text) => text.trim() !== '');
    await fc.assert(
      fc.asyncProperty(fc.array(texts, { maxLength: 12 }), texts, async (all, prefix) => {
        await petstore.query('TRUNCATE pets CASCADE');
        await insert(all);
        const rows = await petstore.query<{ name: string; folded: string; prefix: string }>(
          'SELECT name, folded_pet_name(name) AS folded, folded_pet_name($1) AS prefix FROM pets ORDER BY id',
          [prefix],
        );
        const ordered = rows
          .map((row, i) => ({ ...row, i }))
          .sort((a, b) => byCodePoint(a.folded, b.folded) || a.i - b.i);
        expect((await walk({ sort: 'name', limit: '5' })).map(({ name }) => name)).toEqual(
          ordered.map(({ name }) => name),
        );
        const found = ordered.filter((row) => row.folded.startsWith(row.prefix)).map(({ name }) => name);
        expect((await walk({ namePrefix: prefix, limit: '5' })).map(({ name }) => name)).toEqual(found);
      }),
      { numRuns: 25 },
    );
  });
});

/** JavaScript's `<` compares UTF-16 units, in another order above U+E000. */
function byCodePoint(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
