import { Controller, Get, HttpCode, Module, Post } from '@nestjs/common';
import { EventEmitter, once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { Public } from '../../../src/platform/http/core/public.decorator.js';
import { promisify } from 'node:util';
import { becomes, eventually } from '../../support/eventually.js';
import { Petstore } from '../../support/petstore.js';
import { bearer, exchange, requestBytes } from '../../support/wire.js';
import { AnyKey } from '../../../src/platform/index.js';

const gate = new EventEmitter().setMaxListeners(0);
let ending: NodeJS.Timeout | undefined;
/** Lets each handler end soon, until the test has ended. */
const endAll = () => (ending = setInterval(() => gate.emit('end'), 5));
let running = 0;
let mostRunning = 0;
const sockets: Socket[] = [];

/** A handler that runs until a signal. */
@Public()
@AnyKey()
@Controller('slow')
class SlowController {
  @Get()
  async slow(): Promise<object> {
    running += 1;
    mostRunning = Math.max(mostRunning, running);
    gate.emit('begun');
    await once(gate, 'end');
    running -= 1;
    return { done: true };
  }

  @Post()
  @HttpCode(200)
  post(): Promise<object> {
    return this.slow();
  }
}

@Module({ controllers: [SlowController] })
class SlowModule {}

let petstore: Petstore;
const server = () => petstore.app.getHttpServer();
let key: string;

beforeAll(async () => {
  petstore = await Petstore.start({ modules: [SlowModule], env: { LOG_LEVEL: 'info' } });
  key = await petstore.key();
});
afterEach(async () => {
  clearInterval(ending);
  for (const socket of sockets.splice(0)) socket.destroy();
  await eventually(async () => {
    gate.emit('end');
    const connections = promisify(server().getConnections.bind(server()));
    return running === 0 && (await connections()) === 0;
  });
  mostRunning = 0;
});
afterAll(() => petstore.stop());

async function open(): Promise<Socket> {
  const { port } = server().address() as AddressInfo;
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}

/** The client's end of a connection, and the server's. */
async function openWithServed(): Promise<[Socket, Socket]> {
  const connected = once(server(), 'connection') as Promise<[Socket]>;
  const client = await open();
  const [served] = await connected;
  return [client, served];
}

const many = (count: number, message: Parameters<typeof requestBytes>[0]) =>
  Buffer.concat(
    Array.from({ length: count }, (_, i) =>
      requestBytes({ ...message, headers: [...(message.headers ?? []), ['X-Request-Id', `r${i}`]] }),
    ),
  );
const SLOW = { path: '/slow' };

describe('pipelined requests', () => {
  it('run one at a time on one connection, and all get their responses in order', async () => {
    endAll();
    const responses = await exchange(petstore, many(30, SLOW), {
      methods: Array.from({ length: 30 }, () => 'GET'),
    });
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
    const ids = responses.map(({ headers }) => headers.find(([name]) => name === 'X-Request-Id')?.[1]);
    expect(ids).toEqual(Array.from({ length: 30 }, (_, i) => `r${i}`));
    expect(mostRunning).toBe(1);
  });

  it('do not start after the client has reset the connection; each one that did is logged once', async () => {
    const logged = petstore.log.length;
    const client = await open();
    client.write(many(50, { ...SLOW, headers: [bearer(key)] }));
    await becomes(() => running, 1);
    client.resetAndDestroy();
    gate.emit('end'); // if a connection is not being read, its loss is only noticed on the next write
    const ids = () =>
      petstore.log
        .slice(logged)
        .filter((line) => 'durationMs' in line)
        .map(({ requestId }) => requestId);
    await eventually(() => {
      gate.emit('end');
      return running === 0 && ids().length >= 1;
    });
    expect(ids()).toEqual(Array.from(ids(), (_, i) => `r${i}`));
    expect(ids().length).toBeLessThan(50);
  });

  const head = (method: string, length = '') =>
    `${method} /slow HTTP/1.1\r\nHost: petstore.test\r\n${length}\r\n`;
  const post = `${head('POST', 'Content-Length: 2\r\n')}{}`;

  it.each([
    ['without a body', head('GET').repeat(40), '', []],
    ['with bodies', post.repeat(40), '', []],
    ['whose last body comes later', post.repeat(40).slice(0, -1), '}', []],
    ['and what is no request', `${head('GET').repeat(40)}\0\r\n\r\n`, '', [400]],
  ])('are all answered, in order, however many: 40 %s', async (_, bytes, later, more) => {
    endAll();
    const client = await open();
    let received = '';
    client.on('data', (chunk) => (received += String(chunk)));
    const statuses = () => [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
    client.write(bytes);
    if (later) {
      await eventually(() => statuses().length >= 39); // the handler of the last one does not wait for its body
      client.write(later);
    }
    const expected = [...Array.from({ length: 40 }, () => 200), ...more];
    await becomes(() => statuses().length, expected.length);
    expect(statuses()).toEqual(expected);
    expect(mostRunning).toBe(1);
  });

  it('of HTTP/1.0 with chunks, which it does not have, close their connection', async () => {
    const chunked =
      'POST /nothing HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n';
    const responses = await exchange(petstore, chunked + head('GET'), { methods: ['POST', 'GET'] });
    expect(responses).toHaveLength(1);
  });

  it('run concurrently on other connections', async () => {
    for (const socket of [await open(), await open()]) socket.write(many(100, SLOW));
    await becomes(() => running, 2);
  });

  it('are not read while earlier ones wait', async () => {
    const [client, served] = await openWithServed();
    const bytes = many(1_000, SLOW);
    for (let i = 0; i < 100; i++) client.write(bytes);
    await becomes(() => running, 1);
    gate.emit('end'); // sending a response must not resume reading
    await becomes(() => running, 1);
    const { bytesRead } = served;
    expect(bytesRead).toBeLessThan(1_000_000); // of 8 MB
  });
});

describe('a client that does not read', () => {
  it('is disconnected if it reads nothing for a while, but not while its handler runs', async () => {
    const [patient, ofPatient] = await openWithServed();
    patient.write(requestBytes(SLOW));
    await becomes(() => running, 1);
    const [reader, ofReader] = await openWithServed();
    reader.pause().write(many(20, { path: '/docs/swagger-ui-bundle.js' }));
    await eventually(() => ofReader.bytesWritten > 0);
    const closed = once(ofReader, 'close');
    for (const served of [ofPatient, ofReader]) served.setTimeout(100); // milliseconds, instead of 60 s
    await closed;
    expect(running).toBe(1);
    expect(patient.closed).toBe(false);
    const response = once(patient, 'data');
    gate.emit('end');
    expect(String(await response)).toMatch(/^HTTP\/1.1 200/);
  });
});

describe('a connection without a byte for the time of the socket', () => {
  it.each([
    ['is kept while a handler works', 1, false],
    ['is closed if a request waits behind the handler: a client that has gone is not noticed', 2, true],
  ])('%s', async (_, requests, isClosed) => {
    const accepted = once(server(), 'connection') as Promise<[Socket]>;
    const begun = once(gate, 'begun');
    const client = await open();
    const [connection] = await accepted;
    client.write(Buffer.concat(Array.from({ length: requests }, () => requestBytes({ path: '/slow' }))));
    await begun;
    server().emit('timeout', connection);
    expect(connection.destroyed).toBe(isClosed);
  });
});
