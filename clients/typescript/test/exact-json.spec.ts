import fc from 'fast-check';
import { readJson, writeJson } from '../src/exact-json.js';
import { codePoint } from '../../../test/support/code-point.js';

const MAX = 9_223_372_036_854_775_807n;
const MIN = -9_223_372_036_854_775_808n;
const BEYOND_NUMBERS = 9_007_199_254_740_993n;

describe('readJson', () => {
  it.each([0n, 7n, -7n, BEYOND_NUMBERS, -BEYOND_NUMBERS, MAX, MIN])('keeps the digits of the id %s', (id) => {
    expect(readJson(`{"id":${id},"categoryId" : ${id}}`)).toEqual({ id, categoryId: id });
  });

  it('makes a bigint of every identifier, at any depth', () => {
    expect(readJson('[{"id":1,"pet":{"petId":2}},{"parentId":null}]')).toEqual([
      { id: 1n, pet: { petId: 2n } },
      { parentId: null },
    ]);
  });

  it('leaves identifiers that are texts as they are', () => {
    expect(readJson('{"id":"12345678901234567890","eventId":"evt_1"}')).toEqual({
      id: '12345678901234567890',
      eventId: 'evt_1',
    });
  });

  it('leaves other numbers as numbers while they are exact, and makes bigints of the others', () => {
    expect(readJson('[42,1.5,-0.1e3,1234567890123456,9007199254740991,9007199254740993,1e400]')).toEqual([
      42,
      1.5,
      -100,
      1_234_567_890_123_456,
      Number.MAX_SAFE_INTEGER,
      BEYOND_NUMBERS,
      Infinity,
    ]);
    expect(readJson('9007199254740993')).toBe(BEYOND_NUMBERS);
    expect(readJson('0.12345678901234567890')).toBe(0.1234567890123456789);
    expect(readJson('{"id":1.5}')).toEqual({ id: 1.5 });
  });

  it.each([
    '1234567890123456789',
    '"1234567890123456789"',
    '{"id":1234567890123456789}',
    '\\"id\\":1234567890123456789\\',
    'ends with a backslash \\',
    '\u0000',
    '\u00001234567890123456789',
    '\u0000\u00001234567890123456789',
    '\\u00001234567890123456789',
    'ünïcödé \u2028 \ud83d\udc36',
  ])('leaves the text %j alone, as a value and as a name', (name) => {
    const value = { [name]: name, list: [name, 1_234_567_890_123_456_789n] };
    expect(readJson(writeJson(value))).toEqual(value);
  });

  it('refuses what is not JSON', () => {
    for (const text of [
      '',
      '{',
      '{"id":1234567890123456789',
      '"unfinished \\"',
      '<html>',
      '12345678901234567890x',
    ])
      expect(() => readJson(text)).toThrow(SyntaxError);
  });

  it('is JSON.parse for whatever has no identifier and no large integer', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        fc.pre(!/\d{16}|"(?:id|[^"]*Id)"\s*:/.test(text));
        expect(readJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('reads what writeJson wrote, whatever the integers and texts are', () => {
    const columns = { id: fc.bigInt({ min: MIN, max: MAX }), name: fc.string({ unit: codePoint }) };
    fc.assert(
      fc.property(fc.array(fc.record(columns)), (value) => {
        expect(readJson(writeJson(value))).toEqual(value);
      }),
    );
  });

  it('takes a long text in linear time', () => {
    const text = `{"name":"${'a\\"1'.repeat(300_000)}"}`;
    expect(readJson(text)).toEqual(JSON.parse(text));
    for (const part of [text.slice(0, 600_000), `${text.slice(0, 600_000)}\\`])
      expect(() => readJson(part)).toThrow(SyntaxError);
  });
});

describe('writeJson', () => {
  it('writes bigints as numbers and leaves out what is undefined', () => {
    const value = {
      name: '"categoryId":"1"',
      categoryId: MAX,
      status: undefined,
      list: [1n, undefined, null],
    };
    expect(writeJson(value)).toBe(
      '{"name":"\\"categoryId\\":\\"1\\"","categoryId":9223372036854775807,"list":[1,null,null]}',
    );
  });

  it('is JSON.stringify for whatever has no bigint', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: codePoint }), (value) => {
        fc.pre(!/\d{16}|e\+/.test(JSON.stringify(value)));
        expect(writeJson(value)).toBe(JSON.stringify(value));
      }),
    );
    expect(writeJson(new Date(0))).toBe('"1970-01-01T00:00:00.000Z"');
  });

  it('refuses an integer that has lost digits before it came here', () => {
    expect(() => writeJson({ categoryId: 2 ** 53 })).toThrow(RangeError);
    expect(writeJson({ categoryId: 2 ** 53 - 1 })).toBe('{"categoryId":9007199254740991}');
  });
});
