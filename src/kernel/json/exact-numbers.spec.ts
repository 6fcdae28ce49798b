import fc from 'fast-check';
import { numberText, parseJson } from './exact-numbers.js';

describe('parseJson', () => {
  it('makes what JSON.parse makes', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        expect(parseJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('refuses what JSON.parse refuses, and nothing else', () => {
    const accepts = (parse: (text: string) => unknown, text: string) => {
      try {
        parse(text);
        return true;
      } catch {
        return false;
      }
    };
    const almost = fc.tuple(
      fc.json({ maxDepth: 3 }),
      fc.nat(200),
      fc.constantFrom('', '1.0', ',', '"', '}', '\\', '0'),
    );
    fc.assert(
      fc.property(almost, ([text, at, noise]) => {
        const changed = text.slice(0, at) + noise + text.slice(at + 1);
        return accepts(parseJson, changed) === accepts(JSON.parse, changed);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each(['[', '{"a":'])('refuses a hundred thousand %s', (open) => {
    expect(() => parseJson(open.repeat(100_000))).toThrow(SyntaxError);
  });

  it('takes 32 levels and refuses 33', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    expect(parseJson(nested(32))).toHaveLength(1);
    expect(() => parseJson(nested(33))).toThrow(SyntaxError);
    expect(() => parseJson(nested(50_000))).toThrow(SyntaxError);
  });
});

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
  ])('remembers how %s was written', (digits) => {
    expect(numberText(parseJson(`{"a":${digits}}`), 'a')).toBe(digits);
    const nested = parseJson(`{"b":[{"a":${digits}}]}`) as { b: [object] };
    expect(numberText(nested.b[0], 'a')).toBe(digits);
  });

  it('tells the last of several members of one name', () => {
    expect(numberText(parseJson('{"a":1.0,"a":2}'), 'a')).toBe('2');
    expect(numberText(parseJson('{"a":2,"a":1.0}'), 'a')).toBe('1.0');
  });

  it.each(['"1"', 'null', 'true', '[1.0]', '{"a":1.0}'])('knows none for %s', (value) => {
    expect(numberText(parseJson(`{"a":${value},"b":1.0}`), 'a')).toBeUndefined();
  });

  it.each([undefined, null, 5, 'text'])('knows none in %p', (holder) => {
    expect(numberText(holder, 'a')).toBeUndefined();
  });
});
