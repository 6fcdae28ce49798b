import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWhereFound } from '../support/describe-with.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { Load } from '../support/load.js';
import { nginxOf } from '../support/nginx.js';
import { Petstore } from '../support/petstore.js';
import { emptyFolder, Program, SERVICE } from '../support/program.js';

const CLIENTS = 16;

/** Nginx has no health checks here: it learns that a replica stops from its connections only. */
describeWhereFound('nginx', 'two replicas behind the nginx of docs/systemd.md, under POSTs only', () => {
  let petstore: Petstore;
  let folder: Awaited<ReturnType<typeof emptyFolder>>;
  let proxy: ReturnType<typeof spawn>;
  let port: number;
  let ports: number[];
  const programs = new Map<number, Program>();

  const launch = async (replica: number): Promise<void> => {
    const env = { DATABASE_URL: petstore.databaseUrl, PORT: String(replica), SHUTDOWN_GRACE_SECONDS: '3' };
    const program = new Program(SERVICE, [], { cwd: folder.path, env });
    programs.set(replica, program);
    await program.prints(/listens/);
  };

  beforeAll(async () => {
    petstore = await Petstore.start(); // for its database and a key in it
    folder = await emptyFolder();
    [port, ...ports] = [await freePort(), await freePort(), await freePort()];
    for (const replica of ports) await launch(replica);
    const servers = ports.map((replica) => `server 127.0.0.1:${replica} max_fails=1 fail_timeout=2s;`);
    const file = join(folder.path, 'nginx.conf');
    writeFileSync(file, nginxOf(port, folder.path).replace('server 127.0.0.1:3000;', servers.join(' ')));
    proxy = spawn('nginx', ['-c', file], {
      stdio: 'ignore',
      env: { PATH: '/usr/local/bin:/usr/sbin:/usr/bin' },
    });
    await eventually(() =>
      fetch(`http://127.0.0.1:${port}/openapi.json`).then(
        ({ status }) => status === 200,
        () => false,
      ),
    );
  });
  afterAll(async () => {
    proxy.kill();
    await once(proxy, 'close');
    for (const program of programs.values()) program.signal('SIGKILL');
    await Promise.all([...programs.values()].map(({ ended }) => ended));
    await petstore.stop();
    await folder.remove();
  });

  it('lose none that was confirmed while each is replaced, and only POSTs at the moment when it closes its port', async () => {
    const [present] = await petstore.query<{ count: string }>('SELECT count(*) FROM pets');
    const load = new Load(port, await petstore.key(), CLIENTS, 1);
    const runsOn = async () => {
      const before = load.sent;
      await eventually(() => load.sent > before + 300);
    };
    for (const replica of ports) {
      await runsOn();
      programs.get(replica)?.signal('SIGTERM');
      await programs.get(replica)?.ended;
      await launch(replica);
    }
    await runsOn();
    const { 'POST 201': created, ...failed } = await load.stop();
    expect(created).toBeGreaterThan(900);
    expect(Object.keys(failed).filter((outcome) => !outcome.startsWith('POST 502 '))).toEqual([]);
    const count = Object.values(failed).reduce((sum, each) => sum + each, 0);
    expect(count).toBeLessThanOrEqual(CLIENTS * ports.length);
    const ids = load.created.map((body) => /"id":(\d+)/.exec(body)?.[1]);
    // Whatever got a 502 was not run: the kernel had its connection, and the replica did not.
    const [all] = await petstore.query<{ count: string }>('SELECT count(*) FROM pets');
    expect(Number(all?.count) - Number(present?.count)).toBe(created);
    const there = await petstore.query('SELECT FROM pets WHERE id = ANY($1::bigint[])', [ids]);
    expect(there).toHaveLength(load.created.length);
  });
});
