import { connect, type AddressInfo } from 'node:net';
import { Petstore } from '../support/petstore.js';
import { expectErrorBody, expectPromisedHeaders, expectErrorResponse } from '../support/promises.js';
import { bearer, exchange, type Message, requestBytes, send, sendBytes, valuesOf } from '../support/wire.js';

let petstore: Petstore;
let key: string;

beforeAll(async () => {
  petstore = await Petstore.start();
  key = await petstore.key();
});
beforeEach(() => {
  petstore.clock.advance(60_000);
});
afterAll(() => petstore.stop());

const JSON_TYPE = ['Content-Type', 'application/json'] as const;
const NEW_PET = '{"name":"Rex","categoryId":1}';
const creation = (): Message => ({ method: 'POST', headers: [bearer(key), JSON_TYPE], body: NEW_PET });
const countPets = async () =>
  Number((await petstore.query<{ count: string }>('SELECT count(*) FROM pets'))[0]?.count);

/** All that comes back until the service closes the connection. */
async function conversation(bytes: Buffer | string): Promise<string> {
  const socket = connect((petstore.app.getHttpServer().address() as AddressInfo).port, '127.0.0.1');
  socket.write(bytes);
  let text = '';
  for await (const part of socket) text += String(part);
  return text;
}
const statuses = (text: string) =>
  [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));

describe('bytes that are not HTTP', () => {
  it.each([
    ['text', 'hello\r\n\r\n'],
    ['headers that are too long', `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
  ])('behind a valid request in the same packet does not replace its response: %s', async (_, garbage) => {
    const before = await countPets();
    const text = await conversation(Buffer.concat([requestBytes(creation()), Buffer.from(garbage)]));
    expect(statuses(text)[0]).toBe(201);
    expect(statuses(text)[1]).toBeGreaterThanOrEqual(400);
    expect(statuses(text)).toHaveLength(2);
    expect(await countPets()).toBe(before + 1);
  });

  it('comes after the responses to fifty requests before it', async () => {
    const list = requestBytes({ headers: [bearer(key)] });
    const text = await conversation(
      Buffer.concat([...Array.from({ length: 50 }, () => list), Buffer.from('hello\r\n\r\n')]),
    );
    expect(statuses(text)).toEqual([...Array.from({ length: 50 }, () => 200), 400]);
  });
});

describe('a request that is cut off by a broken chunk', () => {
  const broken = (head: string) => `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`;
  const HEAD = 'Host: petstore.test\r\nContent-Type: application/json\r\n';

  it('has one response, with all headers and its own request id', async () => {
    const bytes = broken(
      `POST /v1/pets HTTP/1.1\r\n${HEAD}X-Request-Id: mine\r\nAuthorization: Bearer ${key}\r\n`,
    );
    const before = await countPets();
    const [response, ...more] = await exchange(petstore, bytes, { methods: ['POST', 'GET'] });
    if (!response) throw new Error('There is no response');
    expectErrorBody(response, 400, 'malformed_request');
    expectPromisedHeaders(response);
    expect(valuesOf(response, 'X-Request-Id')).toEqual(['mine']);
    expect(more).toEqual([]);
    expect(await countPets()).toBe(before);
  });

  it('leaves its line of log', async () => {
    const bytes = broken(
      `POST /v1/pets HTTP/1.1\r\n${HEAD}X-Request-Id: cut\r\nAuthorization: Bearer ${key}\r\n`,
    );
    await conversation(bytes);
    const lines = petstore.log.filter(({ requestId }) => requestId === 'cut');
    expect(lines).toEqual([expect.objectContaining({ status: 400 })]);
  });

  it('and had its response before, for want of a key, gets no second one', async () => {
    expect(statuses(await conversation(broken(`POST /v1/pets HTTP/1.1\r\n${HEAD}`)))).toHaveLength(1);
    const socket = connect((petstore.app.getHttpServer().address() as AddressInfo).port, '127.0.0.1');
    socket.write(`POST /v1/pets HTTP/1.1\r\n${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
    let text = '';
    socket.on('data', (part: Buffer) => {
      text += part.toString();
      socket.write('zz\r\n'); // once the 401 is there
    });
    await new Promise((resolve) => socket.once('close', resolve));
    expect(statuses(text)).toEqual([401]);
  });
});

describe('CONNECT', () => {
  it.each(['petstore.test:443', 'a:1'])('to %s is refused with 405 and an Error', async (target) => {
    const response = await sendBytes(petstore, `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`);
    expectErrorBody(response, 405, 'method_not_allowed');
    expect(valuesOf(response, 'Allow').join()).toMatch(/GET/);
    expect(valuesOf(response, 'X-Request-Id')).toHaveLength(1);
    expect(valuesOf(response, 'Connection')).toEqual(['close']);
  });

  it('comes after the responses to the requests before it', async () => {
    const text = await conversation(
      Buffer.concat([requestBytes(creation()), Buffer.from('CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n')]),
    );
    expect(statuses(text)).toEqual([201, 405]);
  });
});

describe('Upgrade', () => {
  it.each(['websocket', 'h2c'])('to %s is not heeded, as RFC 9110, section 7.8, allows', async (protocol) => {
    const headers = [bearer(key), ['Connection', 'Upgrade'] as const, ['Upgrade', protocol] as const];
    const response = await send(petstore, { headers });
    expect(response.status).toBe(200);
    expectPromisedHeaders(response);
  });
});

describe('Expect: 100-continue', () => {
  const head = (...lines: string[]) =>
    `POST /v1/pets HTTP/1.1\r\nHost: petstore.test\r\nExpect: 100-continue\r\n${lines.join('\r\n')}\r\n\r\n`;
  const TYPE = 'Content-Type: application/json';

  /** Sends a head, and the body only after 100. */
  async function upload(bytes: string, body: string): Promise<string> {
    const socket = connect((petstore.app.getHttpServer().address() as AddressInfo).port, '127.0.0.1');
    socket.write(bytes);
    let text = '';
    for await (const part of socket) {
      text += String(part);
      if (text.endsWith('HTTP/1.1 100 Continue\r\n\r\n')) socket.write(body);
      if (/^HTTP\/1\.1 [2-5]\d\d/m.test(text) && text.endsWith('}')) socket.end();
    }
    return text;
  }

  it('gets its 100 after the key check, when the body is about to be read', async () => {
    const lines = [`Authorization: Bearer ${key}`, TYPE, `Content-Length: ${NEW_PET.length}`];
    expect(statuses(await upload(head(...lines), NEW_PET))).toEqual([100, 201]);
  });

  it.each([
    ['without a key', [TYPE, 'Content-Length: 10'], 401],
    ['with a wrong key', [TYPE, 'Authorization: Bearer x', 'Content-Length: 10'], 401],
    ['that is too large', [TYPE, 'KEY', 'Content-Length: 1000000'], 413],
    ['of another media type', ['Content-Type: text/plain', 'KEY', 'Content-Length: 10'], 415],
  ])('gets no 100 %s, and the connection ends', async (_, lines, status) => {
    const bytes = head(...lines.map((line) => (line === 'KEY' ? `Authorization: Bearer ${key}` : line)));
    const text = await upload(bytes, 'x'.repeat(10));
    expect(statuses(text)).toEqual([status]);
    expect(text).toMatch(/^Connection: close/m);
  });

  it('is refused with all headers', async () => {
    expectErrorResponse(
      await sendBytes(petstore, head(TYPE, 'Content-Length: 10'), 'POST'),
      401,
      'missing_api_key',
    );
  });
});
