import { eventually } from '../support/eventually.js';
import { Load } from '../support/load.js';
import { Petstore } from '../support/petstore.js';
import { Replicas } from '../support/replicas.js';

describe('two replicas behind a load balancer, under constant load', () => {
  let petstore: Petstore;
  let replicas: Replicas;

  beforeAll(async () => {
    petstore = await Petstore.start(); // for its database and a key in it
    replicas = await Replicas.start(2, petstore.databaseUrl);
  });
  afterAll(async () => {
    await replicas.stop();
    await petstore.stop();
  });

  it('fail no request while they are restarted one after the other with SIGTERM', async () => {
    const load = new Load(replicas.balancer.port, await petstore.key());
    let began = 0;
    await replicas.restart(
      async () => {
        const before = load.sent;
        await eventually(() => load.sent > before + 200);
        began = performance.now();
      },
      async (program) => {
        expect(await program.ended).toMatchObject({ code: 0, stderr: '' });
        expect(performance.now() - began).toBeLessThan(10_000);
      },
    );
    const tally = await load.stop();
    expect(Object.keys(tally).sort()).toEqual(['GET 200', 'POST 201']);
    const [row] = await petstore.query<{ count: unknown }>('SELECT count(*) FROM pets');
    expect(Number(row?.count)).toBe(load.created.length);
  });
});
