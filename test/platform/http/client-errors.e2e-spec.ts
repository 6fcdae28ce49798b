import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { seconds } from '../../../src/platform/kernel/clock/duration.js';
import { becomes, eventually } from '../../support/eventually.js';
import { ItemsModule } from '../../items/items.module.js';
import { Petstore } from '../../support/petstore.js';
import { expectErrorBody, expectPromisedHeaders } from '../../support/promises.js';
import { bearer, exchange, type Message, requestBytes, send, valuesOf } from '../../support/wire.js';

let petstore: Petstore;
let key: string;

beforeAll(async () => {
  petstore = await Petstore.start({ modules: [ItemsModule] });
  key = await petstore.key();
});
beforeEach(() => {
  petstore.clock.advance(60_000);
});
afterAll(() => petstore.stop());

const JSON_TYPE = ['Content-Type', 'application/json'] as const;
const NEW_ITEM = '{"name":"Rex","amount":1}';
const creation = (): Message => ({ method: 'POST', headers: [bearer(key), JSON_TYPE], body: NEW_ITEM });
const countItems = async () =>
  Number((await petstore.query<{ count: string }>('SELECT count(*) FROM items'))[0]?.count);

/** Everything received until the service closes the connection. @param afterContinue sent once a 100 has come */
async function conversation(bytes: Buffer | string, afterContinue?: Buffer): Promise<string> {
  const socket = connect((petstore.app.getHttpServer().address() as AddressInfo).port, '127.0.0.1');
  socket.write(bytes);
  let text = '';
  let rest = afterContinue;
  for await (const part of socket) {
    text += String(part);
    if (rest === undefined || !text.includes('HTTP/1.1 100 ')) continue;
    socket.write(rest);
    rest = undefined;
  }
  return text;
}
const statuses = (text: string) =>
  [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));

describe('bytes that are not HTTP', () => {
  it.each([
    ['text', 'hello\r\n\r\n'],
    ['headers that are too long', `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
  ])('after a valid request in the same packet do not replace its response: %s', async (_, garbage) => {
    const before = await countItems();
    const text = await conversation(Buffer.concat([requestBytes(creation()), Buffer.from(garbage)]));
    expect(statuses(text)[0]).toBe(201);
    expect(statuses(text)[1]).toBeGreaterThanOrEqual(400);
    expect(statuses(text)).toHaveLength(2);
    expect(await countItems()).toBe(before + 1);
  });
});

describe('a request that is cut off by a broken chunk', () => {
  const broken = (head: string) => `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`;
  const HEAD = 'Host: petstore.test\r\nContent-Type: application/json\r\n';

  it('gets one response, with all headers and its own request id', async () => {
    const bytes = broken(
      `POST /v1/items HTTP/1.1\r\n${HEAD}X-Request-Id: mine\r\nAuthorization: Bearer ${key}\r\n`,
    );
    const before = await countItems();
    const [response, ...more] = await exchange(petstore, bytes, { methods: ['POST', 'GET'] });
    if (!response) throw new Error('There is no response');
    expectErrorBody(response, 400, 'malformed_request');
    expectPromisedHeaders(response);
    expect(valuesOf(response, 'X-Request-Id')).toEqual(['mine']);
    expect(more).toEqual([]);
    expect(await countItems()).toBe(before);
  });

  it('is logged', async () => {
    const bytes = broken(
      `POST /v1/items HTTP/1.1\r\n${HEAD}X-Request-Id: cut\r\nAuthorization: Bearer ${key}\r\n`,
    );
    await conversation(bytes);
    const found = () => petstore.log.filter(({ requestId }) => requestId === 'cut');
    await eventually(() => found().length > 0);
    expect(found()).toEqual([expect.objectContaining({ status: 400 })]);
  });

  it('does not replace the responses to the requests before it in the same packet', async () => {
    const lists = Array.from({ length: 3 }, () => requestBytes({ headers: [bearer(key)] }));
    const head = `POST /v1/items HTTP/1.1\r\n${HEAD}Authorization: Bearer ${key}\r\n`;
    const before = await countItems();
    const text = await conversation(Buffer.concat([...lists, Buffer.from(broken(head))]));
    expect(statuses(text)).toEqual([200, 200, 200, 400]);
    expect(await countItems()).toBe(before);
  });

  it('gets no second response if it was already refused for lack of a key', async () => {
    expect(statuses(await conversation(broken(`POST /v1/items HTTP/1.1\r\n${HEAD}`)))).toHaveLength(1);
    const socket = connect((petstore.app.getHttpServer().address() as AddressInfo).port, '127.0.0.1');
    socket.write(`POST /v1/items HTTP/1.1\r\n${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
    let text = '';
    socket.on('data', (part: Buffer) => {
      text += part.toString();
      socket.write('zz\r\n'); // after the 401 has arrived
    });
    await new Promise((resolve) => socket.once('close', resolve));
    expect(statuses(text)).toEqual([401]);
  });
});

describe('a request whose client resets the connection', () => {
  it('is logged with 499', async () => {
    const socket = connect((petstore.app.getHttpServer().address() as AddressInfo).port, '127.0.0.1');
    const arrived = once(petstore.app.getHttpServer(), 'request');
    socket.write(
      `POST /v1/items HTTP/1.1\r\nHost: petstore.test\r\nContent-Type: application/json\r\nX-Request-Id: reset\r\nAuthorization: Bearer ${key}\r\nContent-Length: 9\r\n\r\n{`,
    );
    await arrived;
    socket.resetAndDestroy();
    const found = () => petstore.log.filter(({ requestId }) => requestId === 'reset');
    await eventually(() => found().length > 0);
    expect(found()).toEqual([expect.objectContaining({ status: 499 })]);
  });
});

describe('Upgrade', () => {
  it.each(['websocket', 'h2c'])('to %s is ignored, as RFC 9110, section 7.8, allows', async (protocol) => {
    const headers = [bearer(key), ['Connection', 'Upgrade'] as const, ['Upgrade', protocol] as const];
    const response = await send(petstore, { headers });
    expect(response.status).toBe(200);
    expectPromisedHeaders(response);
  });
});

describe('Expect: 100-continue', () => {
  const EXPECT = ['Expect', '100-continue'] as const;

  it('gets a 100, and the body is read', async () => {
    const headers = [...(creation().headers ?? []), ['Expect', '100-continue'] as const];
    const text = await conversation(
      requestBytes({ ...creation(), headers: [...headers, ['Connection', 'close'] as const] }),
    );
    expect(statuses(text)).toEqual([100, 201]);
  });

  it('gets a 100 when the body is needed, and the connection stays open', async () => {
    const head = requestBytes({ ...creation(), headers: [...(creation().headers ?? []), EXPECT] });
    const split = head.indexOf('\r\n\r\n') + 4;
    const next = requestBytes({ headers: [bearer(key), ['Connection', 'close']] });
    const text = await conversation(head.subarray(0, split), Buffer.concat([head.subarray(split), next]));
    expect(statuses(text)).toEqual([100, 201, 200]);
  });

  it('gets a 100 before a refusal, too: to wait for the body does not depend on it', async () => {
    const headers = [JSON_TYPE, ['Content-Length', '20'], ['Connection', 'close'], EXPECT] as const;
    const text = await conversation(requestBytes({ method: 'POST', headers }));
    expect(statuses(text)).toEqual([100, 401]);
  });
});

describe('the last response of a connection', () => {
  afterEach(() => jest.restoreAllMocks());

  it.each([
    ['is too large', 413, JSON_TYPE, true],
    ['comes without a key', 401, JSON_TYPE, false],
    [
      'is of a media type that the operation does not accept',
      415,
      ['Content-Type', 'text/plain'] as const,
      true,
    ],
  ])('leaves its client a second to send the rest of a body that %s', async (_, status, type, hasKey) => {
    const lingering: (() => void)[] = [];
    const { setTimeout } = globalThis;
    jest
      .spyOn(globalThis, 'setTimeout')
      .mockImplementation((run: () => void, ms?: number) =>
        setTimeout(ms === seconds(1) ? () => lingering.push(run) : run, ms === seconds(1) ? 0 : ms),
      );
    const accepted = once(petstore.app.getHttpServer(), 'connection') as Promise<[Socket]>;
    const { port } = petstore.app.getHttpServer().address() as AddressInfo;
    const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    const [served] = await accepted;
    const keys = hasKey ? [bearer(key)] : [];
    const length = ['Content-Length', '2000000'] as const;
    client.write(requestBytes({ method: 'POST', headers: [...keys, type, length, ['Connection', 'close']] }));
    let text = '';
    await once(
      client.on('data', (part) => (text += String(part))),
      'end',
    );
    expect(statuses(text)).toEqual([status]);
    expect(text).toMatch(/^Connection: close\r$/m);
    const { bytesRead } = served;
    client.write(' '.repeat(1_000_000));
    await Promise.race([becomes(() => served.bytesRead - bytesRead, 1_000_000), once(client, 'close')]);
    expect(served.destroyed).toBe(false);
    for (const run of lingering) run();
    expect(served.destroyed).toBe(true);
    client.destroy();
  });
});
