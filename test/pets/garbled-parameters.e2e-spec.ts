import { Petstore } from '../support/petstore.js';
import { expectErrorResponse } from '../support/promises.js';
import { bearer, send } from '../support/wire.js';

let petstore: Petstore;
let key: string;

beforeAll(async () => {
  petstore = await Petstore.start();
  key = await petstore.key();
});
afterAll(() => petstore.stop());

const ask = (path: string) => send(petstore, { path, headers: [bearer(key)] });

describe('a parameter that is not UTF-8 in percent-encoding', () => {
  const detailsOf = async (query: string) => {
    const response = await ask(`/v1/pets?${query}`);
    expectErrorResponse(response, 400, 'validation_failed');
    return (JSON.parse(response.body) as { readonly details: unknown }).details;
  };
  const garbled = (field: string) => ({
    in: 'query',
    field,
    code: 'format',
    message: `${field} must be UTF-8 in percent-encoding`,
  });

  it.each([
    ['ISO 8859-1', 'caf%E9'],
    ['a byte that is never in UTF-8', '%FF'],
    ['a surrogate', '%ED%A0%80'],
    ['an overlong form', '%C0%80'],
    ['a code point beyond the last one', '%F4%90%80%80'],
    ['the first byte of two', '%C3'],
    ['two bytes of three', 'a%E2%82'],
    ['a byte that continues none', '%80'],
    ['no hexadecimal digits', '%zz'],
    ['a bare percent sign', '50%'],
  ])('is refused, not searched for: %s', async (_, text) => {
    expect(await detailsOf(`namePrefix=${text}`)).toEqual([garbled('namePrefix')]);
  });

  it('has this error only, also where it breaks rules or is given twice', async () => {
    expect(await detailsOf('status=%FF&sort=%zz&limit=0')).toEqual([
      expect.objectContaining({ field: 'limit' }),
      garbled('status'),
      garbled('sort'),
    ]);
    expect(await detailsOf('namePrefix=a&namePrefix=%E9')).toEqual([garbled('namePrefix')]);
    expect(await detailsOf('ids=1&ids=%E9')).toEqual([garbled('ids')]);
    expect(await detailsOf('cursor=%E9')).toEqual([garbled('cursor')]);
  });

  it.each(['caf\xe9', 'caf\xc3\xa9'])(
    'is not in percent-encoding: Node.js refuses bare bytes, %j',
    async (text) => {
      expectErrorResponse(await ask(`/v1/pets?namePrefix=${text}`), 400, 'malformed_request');
    },
  );

  it('is unknown if its name is not UTF-8', async () => {
    expect(await detailsOf('caf%E9=1')).toMatchObject([{ code: 'unknown' }]);
  });

  it('is ignored where the operation has no parameters', async () => {
    expectErrorResponse(await ask('/v1/pets/0?a=%E9'), 404, 'pet_not_found');
  });

  it.each([
    '%EF%BF%BD',
    '%C3%A9',
    'e%CC%81',
    '%F0%9F%90%B6',
    '%ED%9F%BF',
    '%EE%80%80',
    'a+b%20c',
    '%2B',
    '50%25',
  ])('is not %s', async (text) => {
    expect((await ask(`/v1/pets?namePrefix=${text}`)).status).toBe(200);
  });
});
