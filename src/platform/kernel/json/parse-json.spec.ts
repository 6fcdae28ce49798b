import fc from 'fast-check';
import { codePoint } from '../../../../test/support/code-point.js';
import { JsonError, parseJson } from './parse-json.js';
import { inexactNumbersIn } from './inexact-number.js';

/** JSON texts with numbers in every form, white space, escaped names and duplicate names. */
const json = fc.letrec<{ value: string; object: string; array: string }>((tie) => {
  const space = fc.constantFrom('', '', ' ', '\n', ' \t\r\n');
  const name = fc.constantFrom('"a"', '"b"', '"\\u0061"', '"__proto__"', '"0"', '"\\""', '"\\\\"', '""');
  const number = fc.oneof(
    fc.constantFrom('0', '-0', '1.0', '-1.50', '1e1', '1E400', '12345678901234567890', '9007199254740993'),
    fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  );
  const text = fc.oneof(
    fc.constantFrom('"1.0"', '"\\"12345678901234567890"', '"{\\\\"', '"[1.0"', '"\\\\"'),
    fc.string({ unit: codePoint }).map((value) => JSON.stringify(value)),
  );
  const spaced = (items: fc.Arbitrary<string>) => fc.tuple(space, items, space).map((all) => all.join(''));
  return {
    value: spaced(
      fc.oneof(
        { maxDepth: 5, withCrossShrink: true },
        number,
        text,
        fc.constantFrom('true', 'false', 'null'),
        tie('object'),
        tie('array'),
      ),
    ),
    object: fc
      .array(fc.tuple(spaced(name), tie('value')), { maxLength: 5 })
      .map((items) => `{${items.map(([key, value]) => `${key}:${value}`).join()}}`),
    array: fc.array(tie('value'), { maxLength: 5 }).map((items) => `[${items.join()}]`),
  };
}).value;

/** Rounds each `bigint` to a double, to compare with `JSON.parse`. */
const rounded = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, item: unknown) => (typeof item === 'bigint' ? Number(item) : item)));

describe('parseJson', () => {
  it('returns the same as JSON.parse, except for large integers', () => {
    fc.assert(
      fc.property(json, (text) => {
        const plain = text.replace(/"(\\u0061|\\"|\\\\)"(?=\s*:)/g, '"c"'); // see the next test
        expect(rounded(parseJson(plain))).toEqual(rounded(JSON.parse(plain)));
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['9007199254740991', 9007199254740991],
    ['9007199254740993', 9007199254740993n],
    ['-9223372036854775808', -9223372036854775808n],
    ['9223372036854775808', 9223372036854775808],
    ['123456789012345678901234567890', 123456789012345678901234567890],
    ['1.0', 1],
    ['1e3', 1000],
    ['0.1234567890123456789', 0.12345678901234568],
  ])('reads %s exactly if it is a signed 64-bit integer', (text, value) => {
    expect(parseJson(`[{"a":${text}}]`)).toEqual([{ a: value }]);
  });

  it.each([
    ['5.0000000000000001', NaN],
    ['-4503599627370497.5', NaN],
    ['1e-400', NaN],
    ['9007199254740993.0', 9007199254740993n],
    [`0.${'0'.repeat(10_000)}1`, NaN],
  ])('reads %s as the nearest double, and tells that this is not exact', (text, integer) => {
    const value = parseJson(`{"a":${text},"__proto__":[${text}]}`) as Record<string, number>;
    expect(value.a).toBe(Number(text));
    expect(inexactNumbersIn(value)?.get('a')?.integer).toBe(integer);
    expect(Object.values(value)[1]).toEqual([Number(text)]);
    expect(parseJson(text)).toBe(Number(text));
  });

  it('reads a number alike, whether or not the text has one that only lossless-json reads exactly', () => {
    const digits = fc.stringMatching(/^(0|[1-9]\d{0,17})$/);
    const number = fc
      .tuple(fc.constantFrom('', '-'), digits, fc.option(fc.stringMatching(/^\.\d{1,17}$/), { nil: '' }))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(number, (text) => {
        const alone = parseJson(`[${text}]`) as unknown[];
        const beside = parseJson(`[${text},1e1]`) as unknown[];
        expect(beside).toStrictEqual([...alone, 10]);
        expect(inexactNumbersIn(alone)).toEqual(inexactNumbersIn(beside));
      }),
      { numRuns: 1_000 },
    );
  });

  it.each(['5.0', '1e3', '1.5', '1.50', '1e20', '2e-7', '1e-07', '-0.0', '0e-999'])(
    'tells nothing of %s, which its double stands for',
    (text) => {
      expect(inexactNumbersIn(parseJson(`[${text}]`) as object)).toBeUndefined();
    },
  );

  it.each([
    ['1E400', '1e400', Infinity],
    ['0.1000000000000000055', '1000000000000000055e-19', 0.1],
    ['1e-400', '1e-400', NaN],
    ['-5.00000000000000010', '-50000000000000001e-16', NaN],
    ['9007199254740993.0', '9007199254740993', 9007199254740993n],
    ['9223372036854775808', '9223372036854775808e0', 2 ** 63],
  ])('tells the exact value of %s', (text, exact, integer) => {
    expect(inexactNumbersIn(parseJson(`[${text}]`) as object)?.get('0')).toMatchObject({ exact, integer });
  });

  it('keeps the last of duplicate properties', () => {
    expect(parseJson('{"a":9007199254740993,"a":{"b":1},"a":null}')).toEqual({ a: null });
  });

  it('does not confuse escaped names with those of an earlier text, as JSON.parse of Node.js 24 does', () => {
    parseJson('{"a":1,"\\\\":2}');
    expect(parseJson('{"a":1,"\\u0062":2}')).toEqual({ a: 1, b: 2 });
    expect(parseJson('[{"a":1,"\\"":2}]')).toEqual([{ a: 1, '"': 2 }]);
    expect(parseJson('{"a":1,"\\u005f_proto__":{"b":2}}')).toHaveProperty(['__proto__'], { b: 2 });
  });

  it('rejects exactly what JSON.parse rejects', () => {
    const almost = fc.tuple(
      json,
      fc.nat(200),
      fc.constantFrom('', '1.0', ',', '"', '}', '\\', '0', '\n', '\u0001', 'u12'),
    );
    fc.assert(
      fc.property(almost, ([text, at, noise]) => {
        const changed = text.slice(0, at) + noise + text.slice(at + 1);
        expect(accepts(parseJson, changed)).toBe(accepts(JSON.parse, changed));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(['[', '{"a":'])('rejects a hundred thousand %s', (open) => {
    expect(() => parseJson(open.repeat(100_000))).toThrow(JsonError);
  });

  it('accepts 32 levels and rejects 33', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    expect(parseJson(nested(32))).toHaveLength(1);
    expect(parseJson(`[${nested(31)},${nested(31)}]`)).toHaveLength(2);
    expect(parseJson(`"${nested(33)}"`)).toBe(nested(33));
    expect(() => parseJson(nested(33))).toThrow('a value nested deeper than 32 levels');
  });

  it('counts the members of all objects together', () => {
    const members = (count: number) => Array.from({ length: count }, (_, i) => `"${i}":${i}`).join();
    const twice = (count: number) => parseJson(`{"a":{${members(count)}},"b":[{${members(1_000)}}]}`);
    expect(Object.keys(parseJson(`{${members(3_000)}}`) as object)).toHaveLength(3_000);
    expect(() => parseJson(`{${members(3_001)}}`)).toThrow('more than 3000 members of objects');
    expect(() => twice(1_998)).not.toThrow();
    expect(() => twice(1_999)).toThrow('more than 3000 members of objects');
  });

  it.each([
    ['', 'an unexpected end at line 1, column 1'],
    ['{', 'an unexpected end at line 1, column 2'],
    ['{"name":}', 'an unexpected character at line 1, column 9'],
    ['{"name":"Rex",}', 'an unexpected character at line 1, column 15'],
    ['{"name":"Rex"}}', 'an unexpected character at line 1, column 15'],
    ['{}\n x', 'an unexpected character at line 2, column 2'],
    ["{'name':1}", 'an unexpected character at line 1, column 2'],
    ['{\n  "name": "Rex"\n  "categoryId": 1\n}', 'an unexpected character at line 3, column 3'],
    ['{"a":01}', 'an unexpected character at line 1, column 7'],
    ['[1.]', 'an unexpected character at line 1, column 4'],
    ['[1e+]', 'an unexpected character at line 1, column 5'],
    ['[-]', 'an unexpected character at line 1, column 3'],
    ['[tru]', 'an unexpected character at line 1, column 2'],
    ['"a\nb"', 'an unexpected character at line 1, column 3'],
    ['"\\x"', 'an unexpected character at line 1, column 2'],
    ['"\\u12g4"', 'an unexpected character at line 1, column 2'],
    ['"abc', 'an unexpected end at line 1, column 5'],
    ['undefined', 'an unexpected character at line 1, column 1'],
    ['\ufeff{}', 'an unexpected byte order mark at line 1, column 1'],
  ])('reports the position of the error in %j', (text, message) => {
    expect(() => parseJson(text)).toThrow(message);
  });
});

function accepts(parse: (text: string) => unknown, text: string): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}
