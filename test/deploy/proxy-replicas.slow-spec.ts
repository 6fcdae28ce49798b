import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { availableParallelism } from 'node:os';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { minutes, seconds } from '../../src/platform/kernel/clock/duration.js';
import { describeWhereFound } from '../support/describe-with.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { Haproxy } from '../support/haproxy.js';
import { Load } from '../support/load.js';
import { Petstore } from '../support/petstore.js';
import { emptyFolder, Program, SERVICE } from '../support/program.js';

describeWhereFound('haproxy', 'two replicas behind the proxy of Compose, under POSTs only', () => {
  let petstore: Petstore;
  let folder: Awaited<ReturnType<typeof emptyFolder>>;
  let proxy: Haproxy;
  let ports: number[];
  const programs = new Map<number, Program>();

  const launch = async (port: number): Promise<void> => {
    const env = { DATABASE_URL: petstore.databaseUrl, PORT: String(port), SHUTDOWN_GRACE_SECONDS: '3' };
    const program = new Program(SERVICE, [], { cwd: folder.path, env });
    programs.set(port, program);
    await program.prints(/listens/);
  };
  const serversUp = async () =>
    (await proxy.own('/metrics')).body.match(/^haproxy_server_status\{proxy="petstore".*state="UP"\} 1$/gm)
      ?.length ?? 0;
  const areUp = (count: number) => eventually(async () => (await serversUp()) === count);
  const end = async (port: number, signal: NodeJS.Signals): Promise<void> => {
    programs.get(port)?.signal(signal);
    await programs.get(port)?.ended;
  };
  /** Until some requests more have been answered. */
  const runsOn = async (load: Load) => {
    const before = load.sent;
    await eventually(() => load.sent > before + 300);
  };

  beforeAll(async () => {
    petstore = await Petstore.start(); // for its database and a key in it
    folder = await emptyFolder();
    ports = [await freePort(), await freePort()];
    for (const port of ports) await launch(port);
    proxy = await Haproxy.start(ports);
  });
  beforeEach(() => areUp(2));
  afterAll(async () => {
    await proxy.stop();
    for (const port of ports) await end(port, 'SIGKILL');
    await petstore.stop();
    await folder.remove();
  });

  const post = async () => new Load(proxy.port, await petstore.key(), 16, 1);

  it('fail none while the replicas are replaced one after the other', async () => {
    const load = await post();
    for (const port of ports) {
      await runsOn(load);
      await end(port, 'SIGTERM');
      await launch(port);
      await areUp(2);
    }
    await runsOn(load);
    expect(Object.keys(await load.stop())).toEqual(['POST 201']);
  });

  it('fail none while one of them stops for good', async () => {
    const load = await post();
    await runsOn(load);
    await end(ports[0] ?? 0, 'SIGTERM');
    await runsOn(load);
    expect(Object.keys(await load.stop())).toEqual(['POST 201']);
    await launch(ports[0] ?? 0);
  });

  it('lose at most those under way when one is killed, and have every pet that they were told of', async () => {
    const load = await post();
    await runsOn(load);
    await end(ports[0] ?? 0, 'SIGKILL');
    await runsOn(load);
    const { 'POST 201': created, ...failed } = await load.stop();
    expect(created).toBeGreaterThan(300);
    // A POST that reached the replica is not repeated: nobody knows whether it took effect. On a client's connection that has served
    // before, HAProxy says so by closing it.
    const lost = Object.entries(failed);
    const unknown = ['POST 502 service_unavailable', 'Error: socket hang up'];
    expect(lost.filter(([outcome]) => !unknown.includes(outcome))).toEqual([]);
    expect(lost.reduce((sum, [, count]) => sum + count, 0)).toBeLessThanOrEqual(16);
    const ids = load.created.map((body) => /"id":(\d+)/.exec(body)?.[1]);
    const [row] = await petstore.query<{ count: string }>(
      'SELECT count(*) FROM pets WHERE id = ANY($1::bigint[])',
      [ids],
    );
    expect(Number(row?.count)).toBe(load.created.length);
    await launch(ports[0] ?? 0);
  });
});

describeWhereFound('haproxy', 'a connection from the proxy of Compose to a replica', () => {
  /** The replica itself closes one that is idle for longer. */
  const REPLICA_KEEPS = seconds(65);
  let replica: Server;
  let proxy: Haproxy;
  /** When each connection of a client's request was used last. */
  const lastUsed = new Map<Socket, number>();
  let longestIdle = 0;
  let hold = 0;
  const held: (() => void)[] = [];

  beforeAll(async () => {
    replica = createServer((request, response) => {
      if (request.url === '/health/ready') return response.end('{}');
      const { socket } = request;
      if (!lastUsed.has(socket))
        socket.once('close', () => {
          longestIdle = Math.max(longestIdle, performance.now() - (lastUsed.get(socket) ?? 0));
          lastUsed.delete(socket);
        });
      const answer = () => {
        lastUsed.set(socket, performance.now());
        response.end('{}');
      };
      lastUsed.set(socket, performance.now());
      held.push(answer);
      if (held.length >= hold) for (const each of held.splice(0)) each();
      return undefined;
    });
    replica.keepAliveTimeout = minutes(10); // so that the proxy closes them
    await once(replica.listen(0, '127.0.0.1'), 'listening');
    proxy = await Haproxy.start([(replica.address() as AddressInfo).port]);
    await eventually(async () => (await proxy.get('/')).status === 200);
  });
  afterAll(async () => {
    await proxy.stop();
    replica.close();
    replica.closeAllConnections();
  });

  it('serves one client after the other', async () => {
    const before = new Set(lastUsed.keys());
    for (let i = 0; i < 50; i++) expect((await proxy.get('/')).status).toBe(200);
    const opened = [...lastUsed.keys()].filter((socket) => !before.has(socket)).length;
    expect(opened).toBeLessThanOrEqual(availableParallelism()); // each thread of the proxy may open one
  });

  it('is closed by the proxy, long before the replica would close it', async () => {
    hold = 200; // answers none before all have come
    await Promise.all(Array.from({ length: hold }, () => proxy.get('/')));
    hold = 0;
    expect(lastUsed.size).toBeGreaterThanOrEqual(200);
    await eventually(() => lastUsed.size === 0);
    expect(longestIdle).toBeLessThan(REPLICA_KEEPS - seconds(20));
  });
});

describe('a burst of connections', () => {
  it('waits until the service accepts it, and none has to try again', async () => {
    const petstore = await Petstore.start();
    const folder = await emptyFolder();
    const env = { DATABASE_URL: petstore.databaseUrl, PORT: '0' };
    const service = new Program(SERVICE, [], { cwd: folder.path, env });
    await service.prints(/listens/);
    const port = Number(/http:\/\/127\.0\.0\.1:(\d+)/.exec(service.stdout)?.[1]);
    service.signal('SIGSTOP'); // accepts nothing
    const sockets = Array.from({ length: 1_000 }, () => connect(port, '127.0.0.1'));
    let connected = 0;
    for (const socket of sockets) socket.on('connect', () => (connected += 1)).on('error', () => undefined);
    try {
      await eventually(() => connected === sockets.length);
    } finally {
      for (const socket of sockets) socket.destroy();
      service.signal('SIGKILL');
      await service.ended;
      await petstore.stop();
      await folder.remove();
    }
  });
});
