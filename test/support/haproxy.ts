import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type IncomingHttpHeaders, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { eventually } from './eventually.js';
import { freePort } from './free-port.js';
import { emptyFolder } from './program.js';
import { readText } from './repository.js';

interface ProxyOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Changes of the configuration that a test needs. */
  readonly replaced?: readonly (readonly [string | RegExp, string])[];
}

interface ProxyResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** HAProxy with the configuration of the project, in front of servers on this machine. */
export class Haproxy {
  private readonly sockets: Socket[] = [];

  private constructor(
    private readonly child: ChildProcess,
    private readonly folder: Awaited<ReturnType<typeof emptyFolder>>,
    readonly port: number,
    private readonly ownPort: number,
  ) {}

  /** @param replicas ports of the servers */
  static async start(
    replicas: readonly number[],
    { env = {}, replaced = [] }: ProxyOptions = {},
  ): Promise<Haproxy> {
    const [port, ownPort] = [await freePort(), await freePort()];
    const folder = await emptyFolder();
    const file = join(folder.path, 'haproxy.cfg');
    const servers = replicas.map((replica, i) => `server petstore${i} 127.0.0.1:${replica}`).join('\n  ');
    let config = readText('deploy/haproxy/haproxy.cfg')
      .replace('bind :3000', `bind 127.0.0.1:${port}`)
      .replace(/^ +bind :3443.*$/m, '')
      .replace('bind :8404', `bind 127.0.0.1:${ownPort}`)
      .replace('log stdout format raw local0 info', '')
      .replaceAll(/default-server resolvers docker init-addr none ?/g, 'default-server ')
      .replaceAll(/server-template petstore .*/g, servers);
    for (const [from, to] of replaced) config = config.replaceAll(from, to);
    await writeFile(file, config);
    const child = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore', env: { ...process.env, ...env } });
    const proxy = new Haproxy(child, folder, port, ownPort);
    await eventually(() =>
      proxy.own('/health').then(
        ({ status }) => status === 200,
        () => false,
      ),
    );
    return proxy;
  }

  /** A request to the listener for clients. @param from the client's address */
  get(
    path: string,
    headers: Readonly<Record<string, string>> = {},
    from = '127.0.0.1',
  ): Promise<ProxyResponse> {
    return get(this.port, path, headers, from);
  }

  /** A request to the listener for the health check and Prometheus. */
  own(path: string): Promise<ProxyResponse> {
    return get(this.ownPort, path);
  }

  /** Sends these bytes, and returns what comes until the proxy closes the connection. */
  async raw(bytes: string): Promise<string> {
    const socket = connect(this.port, '127.0.0.1');
    socket.write(bytes);
    return text(socket);
  }

  /** Opens connections that send nothing. @returns how many of them the proxy keeps */
  async hold(count: number): Promise<() => number> {
    const open = new Set<Socket>();
    for (let i = 0; i < count; i++) {
      const socket = connect(this.port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.on('close', () => open.delete(socket));
      this.sockets.push(socket);
      open.add(socket);
      await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
    }
    return () => open.size;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.child.kill('SIGKILL');
    await this.folder.remove();
  }
}

async function get(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  localAddress?: string,
): Promise<ProxyResponse> {
  const sent = request({ host: '127.0.0.1', port, path, headers, localAddress, agent: false }).end();
  const [response] = (await once(sent, 'response')) as [import('node:http').IncomingMessage];
  return { status: response.statusCode ?? 0, headers: response.headers, body: await text(response) };
}
