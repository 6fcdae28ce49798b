import { eventually } from '../support/eventually.js';
import { Balancer } from '../support/balancer.js';
import { freePort } from '../support/free-port.js';
import { Load } from '../support/load.js';
import { Petstore } from '../support/petstore.js';
import { emptyFolder, Program, SERVICE } from '../support/program.js';

const TIMEOUT = 120_000;

describe('two replicas behind a load balancer, under constant load', () => {
  let petstore: Petstore;
  let key: string;
  let folder: Awaited<ReturnType<typeof emptyFolder>>;
  let balancer: Balancer;
  const replicas = new Map<number, Program>();

  beforeAll(async () => {
    petstore = await Petstore.start(); // for its database and a key in it
    key = await petstore.key();
    folder = await emptyFolder();
    for (let i = 0; i < 2; i++) await start(await freePort());
    balancer = await Balancer.before(...replicas.keys());
    await eventually(() => balancer.readyReplicas === 2);
  }, TIMEOUT);
  afterAll(async () => {
    balancer.remove();
    for (const program of replicas.values()) program.signal('SIGKILL');
    await Promise.all([...replicas.values()].map(({ ended }) => ended));
    await petstore.stop();
    await folder.remove();
  });

  async function start(port: number): Promise<void> {
    const env = { DATABASE_URL: petstore.databaseUrl, PORT: String(port), SHUTDOWN_GRACE_SECONDS: '1' };
    const program = new Program(SERVICE, [], { cwd: folder.path, env });
    replicas.set(port, program);
    await program.prints(/listens/);
  }

  it(
    'fail no request while one after the other is stopped with SIGTERM and started again',
    async () => {
      const load = new Load(balancer.port, key);
      for (const [port, program] of [...replicas]) {
        const before = load.sent;
        await eventually(() => load.sent > before + 200);
        const began = performance.now();
        program.signal('SIGTERM');
        expect(await program.ended).toMatchObject({ code: 0, stderr: '' });
        expect(performance.now() - began).toBeLessThan(10_000);
        await start(port);
        await eventually(() => balancer.readyReplicas === 2);
      }
      const tally = await load.stop();
      expect(Object.keys(tally).sort()).toEqual(['GET 200', 'POST 201']);
      const [row] = await petstore.query<{ count: unknown }>('SELECT count(*) FROM pets');
      expect(Number(row?.count)).toBe(load.created.length);
    },
    TIMEOUT,
  );
});
