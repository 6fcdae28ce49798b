import { connect, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { eventually } from '../../support/eventually.js';
import { Petstore } from '../../support/petstore.js';
import { expectErrorBody, expectPromisedHeaders } from '../../support/promises.js';
import { bearer, send, sendBytes, valuesOf } from '../../support/wire.js';

const HALF = 'GET /v1/events HTTP/1.1\r\nHost: petstore.test\r\n';

let petstore: Petstore;
let key: string;
const sockets: Socket[] = [];

async function start(env: Record<string, string> = {}): Promise<void> {
  petstore = await Petstore.start({ env });
  key = await petstore.key();
}
const stop = () => petstore.stop();
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

async function open(bytes = ''): Promise<Socket> {
  const { port } = petstore.app.getHttpServer().address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket.on('error', () => undefined));
  await once(socket, 'connect');
  socket.write(bytes);
  return socket;
}

describe('bytes that are not a request', () => {
  beforeAll(() => start());
  afterAll(stop);

  it.each([
    ['no HTTP', 'hello\r\n\r\n', 400, 'malformed_request'],
    ['another protocol', Buffer.from('16030100a5010000a1', 'hex'), 400, 'malformed_request'],
    ['a header without a name', `${HALF}: x\r\n\r\n`, 400, 'malformed_request'],
    ['two lengths', `${HALF}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`, 400, 'malformed_request'],
    ['headers of 16 KiB', `${HALF}X-Long: ${'x'.repeat(16_384)}\r\n\r\n`, 431, 'headers_too_large'],
    ['a path of 16 KiB', `GET /${'x'.repeat(16_384)} HTTP/1.1\r\n\r\n`, 431, 'headers_too_large'],
  ])(
    'such as %s get a response with all common headers, and the connection is closed',
    async (_, bytes, status, code) => {
      const response = await sendBytes(petstore, bytes);
      expectErrorBody(response, status, code);
      expectPromisedHeaders(response);
      expect(valuesOf(response, 'Connection')).toEqual(['close']);
      expect(valuesOf(response, 'X-RateLimit-Remaining')).toEqual(['30']); // read, but not charged
    },
  );
});

describe('bytes that are not a request, behind a proxy,', () => {
  beforeAll(() => start({ TRUST_PROXY: '1' }));
  afterAll(stop);

  it('get no quota headers, because the client is unknown', async () => {
    const response = await sendBytes(petstore, 'hello\r\n\r\n');
    expectErrorBody(response, 400, 'malformed_request');
    expect(response.headers.filter(([name]) => /ratelimit/i.test(name))).toEqual([]);
  });
});

describe('a slow client', () => {
  beforeAll(() => start());
  afterAll(stop);

  it('gets 408 if its headers do not arrive in time', async () => {
    const server = petstore.app.getHttpServer();
    const { headersTimeout } = server;
    server.headersTimeout = 50; // milliseconds, instead of 15 s
    const response = await sendBytes(petstore, HALF);
    server.headersTimeout = headersTimeout;
    expectErrorBody(response, 408, 'request_timeout');
    expectPromisedHeaders(response);
  });
});

describe('MAX_CONNECTIONS', () => {
  beforeAll(() => start({ MAX_CONNECTIONS: '3', KEEP_ALIVE_SECONDS: '620' }));
  afterAll(stop);

  it('closes further connections immediately, and accepts new ones when others have ended', async () => {
    const [first] = await Promise.all([open(HALF), open(HALF), open(HALF)]);
    await expect(send(petstore, { headers: [bearer(key)] })).rejects.toThrow();
    first.destroy();
    const served = () =>
      send(petstore, { headers: [bearer(key)] }).then(
        ({ status }) => status === 200,
        () => false,
      );
    await eventually(served);
  });

  it('beside KEEP_ALIVE_SECONDS: an idle connection stays open for that long', () => {
    expect(petstore.app.getHttpServer().keepAliveTimeout).toBe(620_000);
  });
});
