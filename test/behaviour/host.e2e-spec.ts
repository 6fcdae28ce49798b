import { Petstore } from '../support/petstore.js';
import { expectErrorBody, expectErrorResponse } from '../support/promises.js';
import { sendBytes, valuesOf } from '../support/wire.js';

let petstore: Petstore;
let key: string;

beforeAll(async () => {
  petstore = await Petstore.start();
  key = await petstore.key();
});
afterAll(() => petstore.stop());

const ask = (hosts: readonly string[], { path = '/v1/events', version = '1.1', rest = '' } = {}) =>
  sendBytes(
    petstore,
    `GET ${path} HTTP/${version}\r\nAuthorization: Bearer ${key}\r\n${hosts.map((host) => `Host: ${host}\r\n`).join('')}${rest}\r\n`,
  );

describe('a request', () => {
  it.each([
    ['without a Host', []],
    ['with two', ['petstore.test', 'petstore.test']],
    ['with one that is another kind of text', ['pet store']],
    ['with one that has a path', ['petstore.test/v1']],
    ['with one that names a user', ['user@petstore.test']],
  ])('%s is refused with 400, an Error and all headers', async (_, hosts) => {
    expectErrorResponse(await ask(hosts), 400, 'malformed_request');
  });

  it.each(['/openapi.json', '/health/live', '/metrics', '/nope', '/'])(
    'without a Host is refused with 400 and an Error for %s too',
    async (path) => {
      const response = await ask([], { path });
      expectErrorBody(response, 400, 'malformed_request');
      expect(valuesOf(response, 'X-Request-Id')).toHaveLength(1);
    },
  );

  it('without a Host is counted', async () => {
    const used = async () => Number(valuesOf(await ask([]), 'X-RateLimit-Remaining')[0]);
    expect(await used()).toBe((await used()) + 1);
  });

  it('of HTTP/1.0 needs no Host', async () => {
    expect((await ask([], { version: '1.0' })).status).toBe(200);
  });

  it.each(['petstore.test', 'petstore.test:3000', '127.0.0.1:80', '[::1]:3000', 'xn--bcher-kva.example', ''])(
    'for %s is served',
    async (host) => {
      expect((await ask([host])).status).toBe(200);
    },
  );
});
