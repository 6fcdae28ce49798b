import fc from 'fast-check';
import { parseJson } from '../../kernel/json/parse-json.js';
import { fingerprint } from './fingerprint.js';

const of = (json: string, method = 'POST', url = '/v1/pets') => fingerprint(method, url, parseJson(json));

describe('fingerprint', () => {
  it.each([
    ['{"a":1,"b":[1,{"c":null}]}', ' {"b" : [1, {"c":null}],\n"a":1}'],
    ['{"a":"\\u00e9"}', '{"a":"é"}'],
    ['{"a":0,"a":1}', '{"a":1}'],
    ['{"a":1}', '{"a":1.0}'],
    ['{"a":5}', '{"a":5e0}'],
    ['{"a":9007199254740993}', '{"a":9007199254740993.0}'],
    ['{"a":[9007199254740993]}', '{"a":[90071992547409930e-1]}'],
    ['{"a":0}', '{"a":-0.0e7}'],
    ['{"a":1e400}', '{"a":10E+399}'],
    ['{"a":1e-400}', '{"a":0.1e-399}'],
    ['{"a":18446744073709551615}', '{"a":18446744073709551615.0}'],
    ['{"a":1e99999999999999999999}', '{"a":10e99999999999999999998}'],
  ])('is the same for %s and %s', (one, other) => {
    expect(of(one)).toBe(of(other));
  });

  it.each([
    ['{"a":1}', '{"a":"1"}'],
    ['{"a":9007199254740993}', '{"a":9007199254740992}'],
    ['{"a":[9007199254740993]}', '{"a":[9007199254740992]}'],
    ['{"a":{"b":9007199254740993}}', '{"a":{"b":9007199254740992}}'],
    ['{"a":[1,2]}', '{"a":[2,1]}'],
    ['{"a":[1]}', '{"a":{"0":1}}'],
    ['{"a":null}', '{}'],
    ['{"a":9007199254740992}', '{"a":9007199254740993.0}'],
    ['{"a":0}', '{"a":1e-400}'],
    ['{"a":0.1}', '{"a":0.1000000000000000055}'],
    ['{"a":null}', '{"a":1e400}'],
    ['{"a":"1e400"}', '{"a":1e400}'],
    ['{"a":1e400}', '{"a":1e401}'],
    ['{"a":18446744073709551615}', '{"a":18446744073709551616}'],
    ['{"a":5,"b":5.0000000000000001}', '{"a":5.0000000000000001,"b":5}'],
    ['{"a":"b\\",\\"c\\":\\"d"}', '{"a":"b","c":"d"}'],
    ['{"__proto__":{"a":1}}', '{}'],
  ])('differs for %s and %s', (one, other) => {
    expect(of(one)).not.toBe(of(other));
  });

  it('differs by method and by URL', () => {
    expect(of('{}', 'PATCH')).not.toBe(of('{}'));
    expect(of('{}', 'POST', '/v1/orders')).not.toBe(of('{}'));
  });

  it('depends on the bytes of other bodies', () => {
    const ofBytes = (text: string) => fingerprint('POST', '/v1/pets', Buffer.from(text));
    expect(ofBytes('one')).toBe(ofBytes('one'));
    expect(ofBytes('one')).not.toBe(ofBytes('other'));
    expect(ofBytes('{}')).not.toBe(of('{}'));
  });

  it('is 64 hexadecimal digits, even without a body', () => {
    expect(fingerprint('POST', '/v1/pets', undefined)).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is the same for two spellings of a number, and for no two numbers', () => {
    const decimal = fc.record({
      value: fc.bigInt({ min: -(10n ** 22n), max: 10n ** 22n }),
      scale: fc.nat(25),
    });
    const spelling = fc.record({ zeros: fc.nat(3), exponent: fc.integer({ min: -30, max: 30 }) });
    fc.assert(
      fc.property(decimal, decimal, spelling, spelling, (one, other, first, second) => {
        const isEqual = one.value * 10n ** BigInt(other.scale) === other.value * 10n ** BigInt(one.scale);
        expect(of(`[${spelled(one, first)}]`)).toBe(of(`[${spelled(one, second)}]`));
        expect(of(`[${spelled(one, first)}]`) === of(`[${spelled(other, second)}]`)).toBe(isEqual);
      }),
      { numRuns: 1_000 },
    );
  });

  /**
   * What version 1.3 has stored: a retry may reach this version after the first request has reached that one.
   */
  it.each([
    [
      '/v1/pets',
      '{"name":"Rex","categoryId":1}',
      'f1cb318148be8a285c9f075096b3523f447befcb68cf64082bc3f2444579431b',
    ],
    [
      '/v1/pets',
      String.raw`{"status":"available","categoryId":9223372036854775807,"name":"Åse \u00e9 \"x\""}`,
      '70735812fa385d8c6d39b55c80b219019cceba0d41d5c7682bf56b58418e9587',
    ],
    [
      '/v1/pets',
      '{"name":"Rex","categoryId":-9007199254740993}',
      'a4243be4074bfb2eff68181ea8cc97aecea22c6c0f019bce1e62215bea62d84e',
    ],
    [
      '/v1/store/orders',
      '{"petId":7,"quantity":2}',
      '56ad32ecc9408f81cf01ce36f81f34ec8ff86b412acca047542b24beb4539100',
    ],
    [
      '/v1/store/orders/10/approve',
      undefined,
      '7c6b53bd6b7b74443801a290cabe2e89438c40c4e6c312dfb1efdb8805e3660f',
    ],
    [
      '/v1/categories',
      '{"name":"Dogs","parentId":null}',
      'b26ba1c137b2ad5978ee7e6f8bbbb6b6a7a74c0ac819e38f7a939092112f8bbd',
    ],
    [
      '/v1/prices',
      '{"amounts":[0.1,-2.5,1e-7,1.7976931348623157e308,5e-324,0,1e21,123456789012345680000],"deep":[{"a":[true,false,null]}]}',
      '6206f631d3089cbf2ddd1ef9df8f8abee587a461b896d77f8da188b17e6bbc36',
    ],
    [
      '/v1/prices?currency=EUR&on=2026-11-26',
      '[1,2,[3]]',
      '0d3c9574f248a37321a0b60dd16c5fa2f61b29a03e2d2057efd118fcb3656959',
    ],
  ])('of POST %s %s is what version 1.3 has stored', (target, json, stored) => {
    expect(fingerprint('POST', target, json === undefined ? undefined : parseJson(json))).toBe(stored);
  });
});

interface Decimal {
  readonly value: bigint;
  /** Digits behind the point. */
  readonly scale: number;
}

/** One of the many spellings of a number. */
function spelled(
  { value, scale }: Decimal,
  { zeros, exponent }: { zeros: number; exponent: number },
): string {
  const digits = `${value < 0n ? -value : value}${'0'.repeat(zeros)}`;
  const places = scale + zeros + exponent; // behind the point of what is written before the exponent
  const padded = (places < 0 ? digits + '0'.repeat(-places) : digits).padStart(places + 1, '0');
  const [whole, fraction] =
    places > 0 ? [padded.slice(0, -places), `.${padded.slice(-places)}`] : [padded, ''];
  return `${value < 0n ? '-' : ''}${whole.replace(/^0+(?=\d)/, '')}${fraction}${exponent === 0 ? '' : `e${exponent}`}`;
}
