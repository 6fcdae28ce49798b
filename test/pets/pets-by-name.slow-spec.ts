import type pg from 'pg';
import { DataSource } from 'typeorm';
import { MIGRATIONS } from '../support/migrations.js';
import { migrate } from '../../src/platform/data/database/migrations/migrate.js';
import { poolOptions } from '../../src/platform/data/database/database.module.js';
import { Pet } from '../../src/pets/pet.entity.js';
import { petsByName } from '../../src/pets/pets-by-name.js';
import type { ListPetsQuery } from '../../src/pets/dto/list-pets.query.js';
import { createTestDatabase, type TestDatabase, withClient } from '../support/test-database.js';

/** Names that an index or a planner might not like. */
const NAMES: Readonly<Record<string, string>> = {
  'all equal': `'Rex'`,
  'all beginning alike': `'Rex ' || n`,
  'one letter': `chr(97 + n % 26)`,
  emoji: `repeat('😀', 1 + n % 5)`,
  '200 letters': `repeat('a', 200)`,
  'of all kinds': `md5(n::text)`,
};

/** Buffers of a full page: 21 rows, each in a block of its own, and the levels of the index. */
const A_PAGE = 32;

interface Sent {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** With the entities of the service. */
let dataSource: DataSource;
let withEntities: TestDatabase;

beforeAll(async () => {
  withEntities = await createTestDatabase();
  dataSource = await new DataSource({ ...poolOptions(withEntities.url), entities: [Pet] }).initialize();
});
afterAll(async () => {
  await dataSource.destroy();
  await withEntities.drop();
});

/** Reads a page from a connection that returns these rows. */
function pageOf(query: ListPetsQuery, rows: readonly unknown[] = []) {
  let sent: Sent | undefined;
  const client = {
    query({ text }: Sent, values: readonly unknown[]) {
      sent = { text, values };
      return Promise.resolve({ rows });
    },
  };
  const manager = { dataSource, queryRunner: { connect: () => Promise.resolve(client) } };
  return petsByName(manager as never, query).then(({ next }) => ({ next, sent }));
}

/** The statement of a page, as the service would send it. */
async function statementOf(
  query: Partial<ListPetsQuery>,
  after?: { id: number; key: string },
): Promise<Sent> {
  const row = after && [after.id, '', 1, 'available', after.key];
  const cursor = row && (await pageOf({ limit: 1, ...query }, [row, row])).next;
  const { sent } = await pageOf({ limit: 20, ...query, cursor });
  if (!sent) throw new Error('Nothing was sent');
  return sent;
}

async function buffersOf(client: pg.Client, { text, values }: Sent, mode: string): Promise<number> {
  await client.query(`SET plan_cache_mode = ${mode}; DEALLOCATE ALL`);
  await client.query(`PREPARE page AS ${text}`);
  const literals = values.map((value) =>
    Array.isArray(value) ? `'{${value.join()}}'` : client.escapeLiteral(String(value)),
  );
  let hit = 0;
  for (let run = 0; run < 2; run++) {
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE page (${literals.join()})`,
    );
    const plan = rows[0]?.['QUERY PLAN'][0].Plan ?? {};
    hit = (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
  }
  return hit;
}

describe.each(Object.entries(NAMES))(
  'a page of pets by name costs the same in a large table: names %s',
  (_, name) => {
    const databases: TestDatabase[] = [];
    afterAll(() => Promise.all(databases.map((database) => database.drop())));

    it('for each combination, page and plan', async () => {
      const costs: Record<string, number>[] = [];
      for (const rows of [20_000, 200_000]) {
        const database = await createTestDatabase('template1');
        databases.push(database);
        await migrate(database.url, MIGRATIONS);
        costs.push(await withClient(database.url, (client) => costsOf(client, name, rows)));
      }
      const [small = {}, large = {}] = costs;
      for (const [page, buffers] of Object.entries(large)) {
        const of = `${page}: ${String(small[page])} → ${buffers}`;
        expect([of, buffers <= Math.max(A_PAGE, 1.2 * (small[page] ?? 0))]).toEqual([of, true]);
      }
    }, 300_000);
  },
);

async function costsOf(client: pg.Client, name: string, rows: number): Promise<Record<string, number>> {
  await client.query(
    `INSERT INTO pets (name, category_id, status)
     SELECT ${name}, 1, (ARRAY['available', 'pending', 'sold'])[1 + n % 3] FROM generate_series(1, ${rows}) AS n`,
  );
  await client.query('VACUUM ANALYZE pets');
  const at = async (part: number) => {
    const { rows: found } = await client.query<{ id: string; key: string; name: string }>(
      'SELECT id, folded_pet_name(name) COLLATE "C" AS key, name FROM pets ORDER BY 2, 1 OFFSET $1 LIMIT 1',
      [Math.floor((rows - 1) * part)],
    );
    const [row] = found;
    if (!row) throw new Error('There is no row');
    return { id: Number(row.id), key: row.key, name: row.name };
  };
  const places = { first: undefined, middle: await at(0.5), last: await at(1) };
  const costs: Record<string, number> = {};
  for (const [status, sort, mode, place] of combinations(
    [undefined, 'available'],
    ['name', '-name'] as const,
    ['force_generic_plan', 'force_custom_plan'],
    Object.keys(places) as (keyof typeof places)[],
  )) {
    const after = places[place];
    const { name: own } = after ?? places.middle;
    const prefixes = {
      none: undefined,
      empty: '',
      own,
      letter: Array.from(own)[0],
      'no match': after ? undefined : 'no such name',
    };
    for (const [prefix, namePrefix] of Object.entries(prefixes)) {
      const statement = await statementOf({ status: status as never, sort, namePrefix }, after);
      costs[[status, sort, mode, place, prefix].join()] = await buffersOf(client, statement, mode);
    }
  }
  return costs;
}

function* combinations<A, B, C, D>(as: readonly A[], bs: readonly B[], cs: readonly C[], ds: readonly D[]) {
  for (const a of as) for (const b of bs) for (const c of cs) for (const d of ds) yield [a, b, c, d] as const;
}
