import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

const OK = '+OK\r\n';
const bulk = (text: string): string => `$${Buffer.byteLength(text)}\r\n${text}\r\n`;
const array = (...items: string[]): string => `*${items.length}\r\n${items.join('')}`;

/** A fake sentinel that knows one master. */
export class FakeSentinel {
  /** How often it was asked for the master. */
  asked = 0;
  private readonly sockets = new Set<Socket>();
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
    });
    socket.on('data', (packet: Buffer) => {
      for (const command of packet.toString().toLowerCase().split('*').slice(1)) this.reply(socket, command);
    });
  }

  private reply(socket: Socket, command: string): void {
    if (command.includes('get-master-addr-by-name')) {
      this.asked += 1;
      socket.write(array(bulk('127.0.0.1'), bulk(String(this.masterPort))));
    } else socket.write(command.includes('sentinels') ? array() : OK);
  }
}
