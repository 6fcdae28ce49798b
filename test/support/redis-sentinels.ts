import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './eventually.js';
import { freePort } from './free-port.js';
import { RedisServer } from './redis-server.js';

const SENTINELS = 3;

interface Settings {
  readonly program?: string;
  readonly scheme?: 'redis' | 'rediss';
  /** Settings of both servers. */
  readonly server?: readonly string[];
  /** Lines in the configuration of each sentinel. */
  readonly sentinel?: readonly string[];
}

/** A master, its replica, and three sentinels that promote the replica when the master is unavailable for a second. */
export class RedisSentinels {
  private constructor(
    readonly servers: readonly [RedisServer, RedisServer],
    readonly ports: readonly number[],
    private readonly folder: string,
    private readonly sentinels: readonly ChildProcess[],
  ) {}

  static async start({
    program = 'redis-server',
    scheme = 'redis',
    server = [],
    sentinel = [],
  }: Settings = {}): Promise<RedisSentinels> {
    const folder = await mkdtemp(join(tmpdir(), 'petstore-sentinels-'));
    const master = await RedisServer.start(server, scheme, program);
    const of = ['--replicaof', '127.0.0.1', String(master.port)];
    const replica = await RedisServer.start([...server, ...of], scheme, program);
    await eventually(() => replica.replication.includes('master_link_status:up'));
    const ports: number[] = [];
    const sentinels: ChildProcess[] = [];
    for (let i = 0; i < SENTINELS; i++) {
      const port = await freePort();
      const file = join(folder, `${i}.conf`);
      const lines = [
        ...(scheme === 'rediss' ? ['port 0', `tls-port ${port}`] : [`port ${port}`]),
        `dir "${folder}"`,
        `sentinel monitor mymaster 127.0.0.1 ${master.port} 2`,
        'sentinel down-after-milliseconds mymaster 1000',
        'sentinel failover-timeout mymaster 5000',
        ...sentinel,
      ];
      await writeFile(file, `${lines.join('\n')}\n`);
      sentinels.push(spawn(program, [file, '--sentinel'], { stdio: 'ignore' }));
      ports.push(port);
    }
    return new RedisSentinels([master, replica], ports, folder, sentinels);
  }

  /** The value of `REDIS_SENTINELS`. */
  get addresses(): string {
    return this.ports.map((port) => `127.0.0.1:${port}`).join(',');
  }

  get master(): RedisServer {
    const master = this.servers.find((server) => server.isRunning && roleOf(server) === 'master');
    if (!master) throw new Error('there is no master');
    return master;
  }

  /** Waits until both servers run, and one is the replica of the other. */
  async isWhole(): Promise<void> {
    await eventually(
      () =>
        this.servers.every(({ isRunning }) => isRunning) &&
        this.servers.map(roleOf).sort().join() === 'master,slave' &&
        this.servers.some((server) => server.replication.includes('state=online')),
      30_000,
    );
  }

  /** Restarts a former master. The sentinels would also make it a replica, but take 10 s. */
  async bringBack(former: RedisServer): Promise<void> {
    const { port } = this.master;
    await former.launch();
    former.command('REPLICAOF', '127.0.0.1', String(port));
  }

  async stop(): Promise<void> {
    await Promise.all(
      this.sentinels.map(async (child) => {
        const gone = once(child, 'exit');
        child.kill('SIGKILL');
        await gone;
      }),
    );
    await Promise.all(this.servers.map((server) => server.stop()));
    await rm(this.folder, { recursive: true });
  }
}

const roleOf = ({ replication }: RedisServer): string => /role:(\w+)/.exec(replication)?.[1] ?? '';
