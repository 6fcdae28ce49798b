import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';

const OK = '+OK\r\n';
const bulk = (text: string): string => `$${Buffer.byteLength(text)}\r\n${text}\r\n`;
const array = (...items: string[]): string => `*${items.length}\r\n${items.join('')}`;

/** What a sentinel says of one master, with failovers that it announces when the test wants. */
export class FakeSentinel {
  /** How often it was asked for the master. */
  asked = 0;
  /** Announces a failover before it says who the master is, so often. */
  failovers = 0;
  private readonly sockets = new Set<Socket>();
  private readonly subscribers = new Set<Socket>();
  private readonly server: Server = createServer((socket) => {
    this.serve(socket);
  });

  private constructor(private readonly masterPort: number) {}

  static async start(masterPort: number, port = 0): Promise<FakeSentinel> {
    const sentinel = new FakeSentinel(masterPort);
    sentinel.server.listen(port, '127.0.0.1');
    await once(sentinel.server, 'listening');
    return sentinel;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get subscriberCount(): number {
    return this.subscribers.size;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private serve(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.sockets.delete(socket);
      this.subscribers.delete(socket);
    });
    socket.on('data', (packet: Buffer) => {
      for (const command of packet.toString().toLowerCase().split('*').slice(1))
        void this.reply(socket, command);
    });
  }

  private async reply(socket: Socket, command: string): Promise<void> {
    if (command.includes('\nsubscribe')) {
      this.subscribers.add(socket);
      socket.write(array(bulk('subscribe'), bulk('+switch-master'), ':1\r\n'));
    } else if (command.includes('get-master-addr-by-name')) {
      this.asked += 1;
      await this.announce();
      socket.write(array(bulk('127.0.0.1'), bulk(String(this.masterPort))));
    } else socket.write(command.includes('sentinels') ? array() : OK);
  }

  private async announce(): Promise<void> {
    if (this.failovers === 0) return;
    this.failovers -= 1;
    const gone = [...this.subscribers].map((socket) => once(socket, 'close'));
    for (const socket of this.subscribers)
      socket.write(array(bulk('message'), bulk('+switch-master'), bulk('mymaster')));
    await Promise.all(gone);
    await setImmediate();
  }
}
