import { ItemsModule } from '../../items/items.module.js';
import { becomes } from '../../support/eventually.js';
import { Petstore } from '../../support/petstore.js';
import { PREFIX } from '../../support/prefix.js';
import { whileLocked } from '../../support/table-lock.js';

const POOL_SIZE = 20;

describe('DATABASE_POOL_SIZE', () => {
  let petstore: Petstore;

  beforeAll(async () => {
    petstore = await Petstore.start({
      modules: [ItemsModule],
      env: { DATABASE_POOL_SIZE: String(POOL_SIZE) },
    });
  });
  afterAll(() => petstore.stop());

  it('is how many connections the requests of a process have', async () => {
    const { text } = await petstore.client().get('/metrics').expect(200);
    expect(text.split('\n')).toContain(`${PREFIX}_database_connections_max ${POOL_SIZE}`);
  });

  it('gives half of the half for requests with an Idempotency-Key to one key', async () => {
    const client = petstore.client(await petstore.key());
    const requests: Promise<{ status: number }>[] = [];
    await whileLocked(petstore.databaseUrl, 'items', async () => {
      for (let i = 0; i < 8; i++)
        requests.push(
          client
            .post('/v1/items')
            .set('Idempotency-Key', `key-${i}`)
            .send({ name: 'Rex', amount: 7 })
            .then(({ status }) => ({ status })),
        );
      const atWork = `SELECT count(*)::integer FROM pg_stat_activity
                      WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      await becomes(() => petstore.query(atWork), [{ count: POOL_SIZE / 4 }]);
    });
    expect(await Promise.all(requests)).toEqual(requests.map(() => ({ status: 201 })));
  });
});
