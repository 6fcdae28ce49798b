import fc from 'fast-check';
import { parse as parseLossless, isLosslessNumber } from 'lossless-json';
import { JsonError, parseJson } from './parse-json.js';
import { copyNumberTexts, numberText } from './number-texts.js';
import { codePoint } from '../../../test/support/code-point.js';

/** JSON texts with numbers in every form, white space, escapes in names, and names that are there twice. */
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

/** How every number of a value was written, according to `numberText`. */
function textsOf(value: unknown, holder?: object, name: string | number = ''): unknown {
  if (typeof value === 'number') return holder ? numberText(holder, name) : String(value);
  if (Array.isArray(value)) return value.map((item, index) => textsOf(item, value, index));
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value).map(([key, item]) => [key, textsOf(item, value, key)]);
}

/** The same according to lossless-json, with what a double tells anyway as the double tells it. */
function losslessTexts(value: unknown): unknown {
  if (isLosslessNumber(value)) {
    const text = value.toString();
    return /\d{16}|[.eE]/.test(text) ? text : String(Number(text));
  }
  if (Array.isArray(value)) return value.map(losslessTexts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value).map(([key, item]) => [key, losslessTexts(item)]);
}

describe('parseJson', () => {
  it('makes what JSON.parse makes of names without escapes', () => {
    fc.assert(
      fc.property(json, (text) => {
        const plain = text.replace(/"(\\u0061|\\"|\\\\)"(?=\s*:)/g, '"c"');
        expect(parseJson(plain)).toEqual(JSON.parse(plain));
      }),
      { numRuns: 1_000 },
    );
  });

  it('makes what lossless-json makes of names with escapes', () => {
    const onDuplicateKey = ({ newValue }: { newValue: unknown }) => newValue;
    const ordinary = json.filter((text) => !text.includes('__proto__'));
    fc.assert(
      fc.property(ordinary, (text) => {
        expect(parseJson(text)).toEqual(parseLossless(text, null, { parseNumber: Number, onDuplicateKey }));
      }),
      { numRuns: 1_000 },
    );
  });

  it('takes no name with an escape for one that another text has, as JSON.parse of Node.js 24 does', () => {
    parseJson('{"a":1,"\\\\":2}');
    expect(parseJson('{"a":1,"\\u0062":2}')).toEqual({ a: 1, b: 2 });
    expect(parseJson('[{"a":1,"\\"":2}]')).toEqual([{ a: 1, '"': 2 }]);
    expect(parseJson('{"a":1,"\\u005f_proto__":{"b":2}}')).toHaveProperty(['__proto__'], { b: 2 });
  });

  it('remembers how each number was written, as lossless-json does', () => {
    const nested = json.filter((text) => /^\s*[[{]/.test(text) && !text.includes('__proto__'));
    fc.assert(
      fc.property(nested, (text) => {
        const lossless = parseLossless(text, null, { onDuplicateKey: ({ newValue }) => newValue });
        expect(textsOf(parseJson(text))).toEqual(losslessTexts(lossless));
      }),
      { numRuns: 1_000 },
    );
  });

  it('refuses what JSON.parse refuses, and nothing else', () => {
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

  it.each(['[', '{"a":'])('refuses a hundred thousand %s', (open) => {
    expect(() => parseJson(open.repeat(100_000))).toThrow(JsonError);
  });

  it('takes 32 levels and refuses 33', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    expect(parseJson(nested(32))).toHaveLength(1);
    expect(parseJson(`[${nested(31)},${nested(31)}]`)).toHaveLength(2);
    expect(parseJson(`"${nested(33)}"`)).toBe(nested(33));
    expect(() => parseJson(nested(33))).toThrow('a value nested too deep at line 1, column 33');
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
    ['[tru]', 'an unexpected character at line 1, column 5'],
    ['"a\nb"', 'an unexpected character at line 1, column 3'],
    ['"\\x"', 'an unexpected character at line 1, column 3'],
    ['"\\u12g4"', 'an unexpected character at line 1, column 6'],
    ['"abc', 'an unexpected end at line 1, column 5'],
    ['undefined', 'an unexpected character at line 1, column 1'],
    ['\ufeff{}', 'an unexpected character at line 1, column 1'],
  ])('tells where %j is wrong', (text, message) => {
    expect(() => parseJson(text)).toThrow(message);
  });

  it('tells a place up to which the text could still have become JSON', () => {
    const cut = fc.tuple(json, fc.nat(100)).map(([text, length]) => text.slice(0, length));
    fc.assert(
      fc.property(cut, (text) => {
        fc.pre(!accepts(JSON.parse, text));
        expect(() => parseJson(text)).toThrow(/^an unexpected end/);
      }),
    );
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

describe('numberText', () => {
  it.each([
    '0',
    '-1',
    '1.0',
    '1e1',
    '1E400',
    '9007199254740993',
    '9223372036854775807',
    '-0.0',
    '123456789012345678901234567890',
  ])('knows how %s was written', (digits) => {
    expect(numberText(parseJson(`{"a":${digits}}`), 'a')).toBe(digits);
    expect(numberText(parseJson(`[0,${digits}]`), 1)).toBe(digits);
    const nested = parseJson(`{"b":[{"a":${digits}}]}`) as { b: [object] };
    expect(numberText(nested.b[0], 'a')).toBe(digits);
  });

  it.each([
    ['{"a":1.0,"a":2}', '2'],
    ['{"a":2,"a":1.0}', '1.0'],
    ['{"a":1.0,"\\u0061":3}', '3'],
  ])('tells the last of several properties of one name: %s', (text, digits) => {
    expect(numberText(parseJson(text), 'a')).toBe(digits);
  });

  it('tells the last of several objects of one name', () => {
    const { a } = parseJson('{"a":{"b":1.0,"c":2.0},"a":{"b":3}}') as { a: object };
    expect([numberText(a, 'b'), numberText(a, 'c')]).toEqual(['3', undefined]);
  });

  it.each(['"1"', 'null', 'true', '[1.0]', '{"a":1.0}'])('knows none for %s', (value) => {
    expect(numberText(parseJson(`{"a":${value},"b":1.0}`), 'a')).toBeUndefined();
  });

  it.each([undefined, null, 5, 'text'])('knows none in %p', (holder) => {
    expect(numberText(holder, 'a')).toBeUndefined();
  });

  it('knows none for what another parser may have rounded', () => {
    const [text, other] = ['{"a":9007199254740993,"b":1.5,"c":7}', JSON.parse as (text: string) => unknown];
    expect(['a', 'b', 'c'].map((name) => numberText(other(text), name))).toEqual([undefined, '1.5', '7']);
    expect(numberText(parseJson(text), 'a')).toBe('9007199254740993');
  });

  it('leaves no trace on the object', () => {
    const parsed = parseJson('{"a":1.0}') as object;
    expect(Reflect.ownKeys(parsed)).toEqual(['a']);
    expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
    expect(numberText(structuredClone(parsed), 'a')).toBe('1');
  });

  it('knows as much of a copy that was given the texts', () => {
    const copy = { a: 1 };
    copyNumberTexts(parseJson('{"a":1.0}') as object, copy);
    expect(numberText(copy, 'a')).toBe('1.0');
  });
});
