import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { Transform } from 'node:stream';
import { setTimeout } from 'node:timers/promises';

/** A proxy between the service and its database, which a test can cut to make the database unreachable. */
export class TcpProxy {
  private readonly sockets = new Set<Socket>();
  private isCut = false;
  /** Milliseconds after which a new connection gets its first data. */
  connectDelay = 0;

  private constructor(
    private readonly server: Server,
    /** The database's URL through the proxy. */
    readonly url: string,
    private readonly delay: number,
  ) {}

  /** @param delay milliseconds by which each packet is delayed */
  static async to(databaseUrl: string, { delay = 0 } = {}): Promise<TcpProxy> {
    const { hostname, port } = new URL(databaseUrl);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const end = { hostname: '127.0.0.1', port: String((server.address() as AddressInfo).port) };
    const proxy = new TcpProxy(server, Object.assign(new URL(databaseUrl), end).href, delay);
    server.on('connection', (socket) => {
      proxy.join(socket, connect(Number(port), hostname));
    });
    return proxy;
  }

  cut(): void {
    this.isCut = true;
    for (const socket of this.sockets) socket.destroy();
  }

  mend(): void {
    this.isCut = false;
  }

  remove(): void {
    this.cut();
    this.server.close();
  }

  private join(...ends: [Socket, Socket]): void {
    const [near, far] = ends;
    for (const socket of ends) {
      this.sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        this.sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    if (this.isCut) near.destroy();
    else if (this.connectDelay > 0) void setTimeout(this.connectDelay).then(() => near.pipe(far).pipe(near));
    else if (this.delay === 0) near.pipe(far).pipe(near);
    else near.pipe(delayed(this.delay)).pipe(far).pipe(delayed(this.delay)).pipe(near);
  }
}

const delayed = (milliseconds: number): Transform =>
  new Transform({
    transform(chunk, _, done) {
      void setTimeout(milliseconds).then(() => {
        done(null, chunk);
      });
    },
  });
