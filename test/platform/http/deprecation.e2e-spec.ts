import { ItemsModule } from '../../items/items.module.js';
import { Petstore } from '../../support/petstore.js';
import { expectErrorResponse } from '../../support/promises.js';
import { type RawResponse, bearer, type Message, send, valuesOf } from '../../support/wire.js';

const BEFORE = Date.UTC(2026, 11, 5);
const SUNSET = Date.UTC(2030, 11, 5);

let petstore: Petstore;
let key: string;

beforeAll(async () => {
  petstore = await Petstore.start({ modules: [ItemsModule] });
  key = await petstore.key();
  await petstore.query(`INSERT INTO items (name, amount, status) VALUES ('Rex', 1, 'open')`);
});
afterAll(() => petstore.stop());

const ask = (message: Message) => send(petstore, { headers: [bearer(key)], ...message });

describe('GET /v1/items/{itemId}', () => {
  const list = '/v1/items';
  const use = 'GET /v1/items with the status filter';

  beforeAll(() => {
    petstore.clock.set(BEFORE);
  });

  function expectAnnounced(response: RawResponse): void {
    expect(valuesOf(response, 'Deprecation')).toEqual(['@1795132800']);
    expect(valuesOf(response, 'Sunset')).toEqual(['Thu, 05 Dec 2030 00:00:00 GMT']);
    const links = valuesOf(response, 'Link').join().split(', ');
    expect(links).toEqual([
      `<http://petstore.test${list}>; rel="successor-version"; title="${use}"`,
      `<http://petstore.test/docs#/items/getItem>; rel="deprecation"; type="text/html"`,
    ]);
  }

  it.each([
    ['GET', `${list}/1`, 200],
    ['HEAD', `${list}/1`, 200],
    ['GET', `${list}/999`, 404],
    ['GET', `${list}/rex`, 404],
  ])('announces its removal: %s %s', async (method, path, status) => {
    const response = await ask({ method, path });
    expect(response.status).toBe(status);
    expectAnnounced(response);
  });

  describe('1 ms before the sunset', () => {
    beforeAll(() => {
      petstore.clock.set(SUNSET - 1);
    });

    it('responds as before', async () => {
      const response = await ask({ path: `${list}/1` });
      expect(response.status).toBe(200);
      expectAnnounced(response);
    });
  });

  describe('from the sunset on', () => {
    beforeAll(() => {
      petstore.clock.set(SUNSET);
    });

    it.each([`${list}/1`, `${list}/999`, `${list}/rex`])('returns 410 at %s', async (path) => {
      const response = await ask({ path });
      expectErrorResponse(response, 410, 'endpoint_removed');
      expect(response.body).toContain(`Use ${use}.`);
      expectAnnounced(response);
    });

    it('returns 410 to HEAD', async () => {
      expect((await ask({ path: `${list}/1`, method: 'HEAD' })).status).toBe(410);
    });

    it('returns 401 without a key', async () => {
      expectErrorResponse(await send(petstore, { path: `${list}/1` }), 401, 'missing_api_key');
    });

    it('does not affect other operations', async () => {
      expect((await ask({ path: `${list}?status=open` })).status).toBe(200);
    });
  });
});

describe('the other operations', () => {
  const OTHERS: [string, Message][] = [
    ['GET /v1/items', { path: '/v1/items' }],
    ['GET /v1/events', { path: '/v1/events' }],
    [
      'POST /v1/items',
      {
        method: 'POST',
        headers: [['Content-Type', 'application/json']],
        body: '{"name":"Rex","amount":1}',
      },
    ],
    ['an unknown path', { path: '/v1/nope' }],
  ];

  it.each(OTHERS)('announce nothing: %s', async (_, message) => {
    const response = await ask({ ...message, headers: [bearer(key), ...(message.headers ?? [])] });
    expect(response.status).not.toBe(401);
    expect(valuesOf(response, 'Deprecation')).toEqual([]);
    expect(valuesOf(response, 'Sunset')).toEqual([]);
    expect(valuesOf(response, 'Link').join()).not.toContain('deprecation');
  });
});
