import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { eventually } from '../support/eventually.js';
import { emptyFolder, Program, SERVICE } from '../support/program.js';
import { createTestDatabase } from '../support/test-database.js';

const sockets: Socket[] = [];

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}

const LINUX = process.platform === 'linux';
if (!LINUX)
  process.stdout.write('Skipped, because there is no /proc: descriptors and memory of the service\n');

(LINUX ? describe : describe.skip)(
  '1274 requests for a large file in one packet, of which nothing is read,',
  () => {
    const PACKET = Buffer.concat(
      Array.from({ length: 1_274 }, () =>
        Buffer.from('GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: a\r\n\r\n'),
      ),
    );
    let service: Program;
    let base: string;
    let end: () => Promise<void>;

    beforeAll(async () => {
      const database = await createTestDatabase();
      const folder = await emptyFolder();
      // Otherwise, V8 uses all memory before it collects garbage, and a leak would show only as a crash.
      const NODE_OPTIONS = '--max-old-space-size=192';
      const env = { PORT: '0', DATABASE_URL: database.url, LOG_LEVEL: 'warn', NODE_OPTIONS };
      service = new Program(SERVICE, [], { cwd: folder.path, env });
      end = async () => {
        service.signal('SIGTERM');
        await service.ended;
        await folder.remove();
        await database.drop();
      };
      await service.prints(/listens at/);
      base = /http:\/\/[\d.:]+/.exec(service.stdout)?.[0] ?? '';
      for (let i = 0; i < 20; i++) await (await fetch(`${base}/docs/swagger-ui-bundle.js`)).arrayBuffer();
    });
    afterAll(() => end());

    const descriptors = () => readdirSync(`/proc/${service.pid}/fd`).length;
    const megabytes = () =>
      Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1]) / 1024;

    /**
     * The time that a probe waits on an otherwise idle machine: the thread's CPU time before it responds, in
     * milliseconds.
     */
    async function health(): Promise<number> {
      const before = working();
      expect((await fetch(`${base}/health/live`)).status).toBe(200);
      return working() - before;
    }
    const working = () => {
      const thread = `/proc/${service.pid}/task/${service.pid}/stat`; // the thread with the event loop
      const [, fields = ''] = readFileSync(thread, 'utf8').split(') ');
      const [user, system] = fields.split(' ').slice(11, 13).map(Number);
      return (Number(user) + Number(system)) * 10; // a tick is 10 ms
    };

    it.each([1, 17])(
      'leak no descriptors, keep memory bounded, and do not stop the service: %d connections',
      async (connections) => {
        const opened = descriptors();
        const attack = async () => {
          await Promise.all(Array.from({ length: connections }, () => open(Number(new URL(base).port))));
          for (const socket of sockets) socket.pause().write(PACKET);
          const waits: number[] = [];
          for (let i = 0; i < 10; i++) waits.push(await health());
          for (const socket of sockets.splice(0)) socket.destroy();
          await eventually(() => descriptors() <= opened + 2);
          waits.push(await health());
          const [median = Infinity] = waits.sort((a, b) => a - b).slice(5);
          expect(median).toBeLessThan(500);
          expect(Math.max(...waits)).toBeLessThan(1_500); // a garbage collection on a slow machine
          return megabytes();
        };
        for (let i = 0; i < 6; i++) expect(await attack()).toBeLessThan(500);
      },
    );
  },
);
