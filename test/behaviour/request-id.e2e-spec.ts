import { Petstore } from '../support/petstore.js';
import { bearer, type Message, send, valuesOf } from '../support/wire.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

let petstore: Petstore;
let key: string;

beforeAll(async () => {
  petstore = await Petstore.start();
  key = await petstore.key();
});
afterAll(() => petstore.stop());

const idOf = async (message: Message = {}, ...sent: string[]) => {
  const headers = sent.map((id) => ['X-Request-Id', id] as const);
  const response = await send(petstore, { ...message, headers: [bearer(key), ...headers] });
  return valuesOf(response, 'X-Request-Id');
};

describe('X-Request-Id', () => {
  it.each<[string, Message]>([
    ['GET /v1/pets', {}],
    ['an error', { path: '/v1/pets?limit=0' }],
    ['an unknown path', { path: '/v1/nope' }],
    ['bad percent-encoding', { path: '/v1/%' }],
    ['a path outside the interface', { path: '/nope' }],
    ['the document', { path: '/openapi.json' }],
    ['OPTIONS', { method: 'OPTIONS' }],
  ])('is generated if none was sent: %s', async (_, message) => {
    expect(await idOf(message)).toEqual([expect.stringMatching(UUID)]);
  });

  it('is different each time', async () => {
    expect(await idOf()).not.toEqual(await idOf());
  });

  it.each(['a', '4f1c', 'trace-01/span:2', '!"#$%&()*+,-./:;<=>?@[]^_`{|}~', 'x'.repeat(128)])(
    'is kept if sent: %s',
    async (id) => {
      expect(await idOf({}, id)).toEqual([id]);
      expect(await idOf({ path: '/v1/nope' }, id)).toEqual([id]);
    },
  );

  it.each([
    ['empty', ''],
    ['longer than 128 characters', 'x'.repeat(129)],
    ['of two words', 'a b'],
    ['with a tab', 'a\tb'],
    ['not ASCII', 'é'],
  ])('is replaced if the one sent is %s', async (_, id) => {
    expect(await idOf({}, id)).toEqual([expect.stringMatching(UUID)]);
  });

  it('is replaced if two were sent', async () => {
    expect(await idOf({}, 'a', 'b')).toEqual([expect.stringMatching(UUID)]);
  });
});
