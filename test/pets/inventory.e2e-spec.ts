import { seconds } from '../../src/platform/kernel/clock/duration.js';
import { becomes } from '../support/eventually.js';
import { Petstore } from '../support/petstore.js';
import { whileLocked } from '../support/table-lock.js';

let petstore: Petstore;
let client: ReturnType<Petstore['client']>;

beforeAll(async () => {
  petstore = await Petstore.start();
  client = petstore.client(await petstore.key());
});
afterAll(() => petstore.stop());

const waitsForTable = () =>
  becomes(async () => {
    const [{ waiting } = { waiting: 0 }] = await petstore.query<{ waiting: number }>(
      `SELECT count(*)::int AS waiting FROM pg_locks WHERE NOT granted AND relation = 'pets'::regclass`,
    );
    return waiting;
  }, 1);
const insert = (status: string, count: number) =>
  petstore.query(
    'INSERT INTO pets (name, category_id, status) SELECT $1, 1, $1 FROM generate_series(1, $2::int)',
    [status, count],
  );
const inventory = async () => (await client.get('/v1/store/inventory').expect(200)).body as unknown;

describe('GET /v1/store/inventory', () => {
  it('names every status, counts at most once a second, and shows changes after that', async () => {
    expect(await inventory()).toEqual({ available: 0, pending: 0, sold: 0 });
    await insert('available', 3);
    await insert('sold', 2);
    expect(await inventory()).toEqual({ available: 0, pending: 0, sold: 0 });
    petstore.clock.advance(seconds(1));
    expect(await inventory()).toEqual({ available: 3, pending: 0, sold: 2 });
  });

  it('answers with the last count while one is running', async () => {
    const before = await inventory();
    petstore.clock.advance(seconds(60));
    let counting: Promise<unknown> | undefined;
    await whileLocked(petstore.databaseUrl, 'pets', async () => {
      counting = inventory();
      await waitsForTable();
      expect(await Promise.all([inventory(), inventory()])).toEqual([before, before]);
    });
    await counting;
  });

  it('answers with no count that is older than one which has failed', async () => {
    petstore.clock.advance(seconds(60));
    const before = await inventory();
    await petstore.query('ALTER TABLE pets RENAME TO pets_away');
    petstore.clock.advance(seconds(60));
    await client.get('/v1/store/inventory').expect(500);
    await petstore.query('ALTER TABLE pets_away RENAME TO pets');
    await insert('pending', 4);
    const counts: Promise<unknown>[] = [];
    await whileLocked(petstore.databaseUrl, 'pets', async () => {
      counts.push(inventory());
      await waitsForTable();
      counts.push(inventory());
    });
    const expected = { ...(before as object), pending: 4 };
    expect(await Promise.all(counts)).toEqual([expected, expected]);
  });

  it('needs the scope pets:read', async () => {
    const { body } = await petstore.client().get('/v1/store/inventory').expect(401);
    expect(body).toMatchObject({ code: 'missing_api_key' });
  });
});
