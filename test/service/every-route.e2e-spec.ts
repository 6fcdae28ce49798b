import { ApiKeysService } from '../../src/platform/access/keys/api-keys.service.js';
import { type Scope, SCOPES } from '../../src/platform/access/keys/scopes.js';
import { Petstore } from '../support/petstore.js';
import { expectErrorResponse, expectPromisedHeaders } from '../support/promises.js';
import { bearer, send, valuesOf } from '../support/wire.js';

let petstore: Petstore;

beforeAll(async () => {
  petstore = await Petstore.start();
  await petstore.query(`INSERT INTO pets (name, category_id, status) VALUES ('Rex', 1, 'available')`);
});
afterAll(() => petstore.stop());

const keyWith = async (scopes?: readonly Scope[]): Promise<string> =>
  (await petstore.app.get(ApiKeysService).create({ name: 'scoped', plan: 'free', scopes })).secret;

describe.each([
  ['/v1/pets', 'pets:read'],
  ['/v1/store/orders', 'orders:read'],
  ['/v1/categories', 'categories:read'],
] as const)('GET %s', (path, scope) => {
  const ask = async (scopes?: readonly Scope[]) =>
    send(petstore, { path, headers: [bearer(await keyWith(scopes))] });

  it(`needs ${scope}, and nothing else`, async () => {
    expect((await ask([scope])).status).toBe(200);
    expect((await ask()).status).toBe(200);
    expectErrorResponse(await ask(SCOPES.filter((other) => other !== scope)), 403, 'insufficient_scope');
  });

  it('is 304 while nothing has changed', async () => {
    const client = petstore.client(await petstore.key());
    const { etag = '' } = (await client.get(path).expect(200)).headers as { etag?: string };
    await client.get(path).set('If-None-Match', etag).expect(304);
  });

  it('announces no end', async () => {
    expect(valuesOf(await ask(), 'Deprecation')).toEqual([]);
  });
});

it.each([
  ['/v1/pets', 'GET, HEAD, OPTIONS, POST'],
  ['/v1/pets/1', 'DELETE, GET, HEAD, OPTIONS, PATCH'],
  ['/v1/store/orders', 'GET, HEAD, OPTIONS, POST'],
])('OPTIONS %s names %s', async (path, allow) => {
  const response = await send(petstore, { path, method: 'OPTIONS' });
  expect(response.status).toBe(204);
  expect(valuesOf(response, 'Allow')).toEqual([allow]);
  expectPromisedHeaders(response);
});

it('GET /v1/pets/{petId} announces its end, and what to use instead', async () => {
  const response = await send(petstore, { path: '/v1/pets/1', headers: [bearer(await petstore.key())] });
  expect(response.status).toBe(200);
  expect(valuesOf(response, 'Deprecation')).toEqual(['@1795132800']);
  expect(valuesOf(response, 'Sunset')).toEqual(['Thu, 05 Dec 2030 00:00:00 GMT']);
  const use = 'GET /v1/pets with the status filter (or with ?ids= for one pet)';
  expect(valuesOf(response, 'Link').join().split(', ')).toEqual([
    `<http://petstore.test/v1/pets>; rel="successor-version"; title="${use}"`,
    '<http://petstore.test/docs#/pets/getPet>; rel="deprecation"; type="text/html"',
  ]);
});
