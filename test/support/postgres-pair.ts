import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './eventually.js';
import { freePort } from './free-port.js';
import { PostgresServer } from './postgres-server.js';
import { withClient } from './test-database.js';

/** A primary and its synchronous standby behind HAProxy, which finds the primary over HTTP, as with Patroni. */
export class PostgresPair {
  private constructor(
    readonly primary: PostgresServer,
    readonly standby: PostgresServer,
    private readonly roles: readonly [Role, Role],
    private readonly balancer: ChildProcess,
    private readonly folder: string,
    /** The URL of HAProxy. */
    readonly url: string,
  ) {}

  /** @param cutsSessions whether HAProxy closes connections to a server that is no longer the primary */
  static async start({ cutsSessions }: { readonly cutsSessions: boolean }): Promise<PostgresPair> {
    const primary = await PostgresServer.start();
    const standby = await PostgresServer.standbyOf(primary);
    const roles = [await Role.of(true), await Role.of(false)] as const;
    const folder = await mkdtemp(join(tmpdir(), 'petstore-haproxy-'));
    const port = await freePort();
    const file = join(folder, 'haproxy.cfg');
    const servers = [primary, standby].map(
      ({ url }, i) => `  server pg${i} 127.0.0.1:${new URL(url).port} check port ${roles[i]?.port}`,
    );
    await writeFile(
      file,
      `defaults
  mode tcp
  timeout connect 1s
  timeout client 1m
  timeout server 1m
listen postgres
  bind 127.0.0.1:${port}
  option httpchk GET /primary
  http-check expect status 200
  default-server inter 250 fall 2 rise 1 ${cutsSessions ? 'on-marked-down shutdown-sessions' : ''}
${servers.join('\n')}
`,
    );
    const balancer = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' });
    await eventually(() => accepts(port));
    const url = Object.assign(new URL(primary.url), { port: String(port) }).href;
    // Initially, HAProxy treats both as the primary and alternates between them.
    await eventually(async () => (await Promise.all([1, 2, 3, 4].map(() => isPrimary(url)))).every(Boolean));
    return new PostgresPair(primary, standby, roles, balancer, folder, url);
  }

  /** Promotes the standby, also for HAProxy. */
  async promote(): Promise<void> {
    await this.standby.query('SELECT pg_promote()');
    this.roles[0].isPrimary = false;
    this.roles[1].isPrimary = true;
  }

  async stop(): Promise<void> {
    const gone = once(this.balancer, 'exit');
    this.balancer.kill('SIGKILL');
    await gone;
    for (const role of this.roles) role.stop();
    await Promise.all([this.primary.stop(), this.standby.stop()]);
    await rm(this.folder, { recursive: true });
  }
}

const isPrimary = (url: string): Promise<boolean> =>
  withClient(url, async (client) => {
    const { rows } = await client.query<{ standby: boolean }>('SELECT pg_is_in_recovery() AS standby');
    return rows[0]?.standby === false;
  }).catch(() => false);

/** Reports over HTTP whether a server is the primary. */
class Role {
  private constructor(
    private readonly server: Server,
    public isPrimary: boolean,
  ) {
    server.on('request', (_request, response) => {
      response.writeHead(this.isPrimary ? 200 : 503).end();
    });
  }

  static async of(isPrimary: boolean): Promise<Role> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new Role(server, isPrimary);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}

export function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => {
      resolve(false);
    });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}
