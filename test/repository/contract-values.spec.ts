import fc from 'fast-check';
import { brokenJson, brokenText, valid } from '../support/contract/values.js';

const NOTHING = { paths: {} };

const textsOf = (schema: object): string[] =>
  fc.sample(valid({ type: 'string', ...schema }, NOTHING), 50).map(({ text }) => text);

describe('the contract test of a property with a pattern', () => {
  it.each([
    ['^97[89][0-9]{10}$', {}],
    ['^[a-z]{2}$', { minLength: 2, maxLength: 2 }],
    ['^#[0-9a-fA-F]{6}$', {}],
    ['^[A-Z]{2}\\d{2}[A-Z0-9]{11,30}$', { maxLength: 34 }],
    ['^\\w+(-\\w+)*$', { maxLength: 20 }],
    ['^\\p{Lu}', { maxLength: 10 }],
    ['^(?:red|green)$', {}],
  ])('finds texts that match %s', (pattern, more) => {
    const { maxLength = 300 } = more as { maxLength?: number };
    for (const text of textsOf({ pattern, ...more })) {
      expect(text).toMatch(new RegExp(pattern, 'u'));
      expect(text.length).toBeLessThanOrEqual(maxLength);
    }
  });

  it('takes the example of one that fast-check cannot read, and asks for it', () => {
    const pattern = '^(?!0)\\d{5}$';
    expect(new Set(textsOf({ pattern, examples: ['12345'] }))).toEqual(new Set(['12345']));
    expect(() => textsOf({ pattern })).toThrow(`${pattern}. Give the property an example.`);
  });

  it('expects a refusal of white space only where the pattern refuses it', () => {
    expect(brokenJson({ type: 'string', pattern: '^[a-z]*$' }, NOTHING)).toContain('" \\n"');
    expect(brokenJson({ type: 'string', pattern: '^\\s*$' }, NOTHING)).not.toContain('" \\n"');
  });
});

describe('the contract test of a nullable enumeration', () => {
  const document = {
    ...NOTHING,
    components: { schemas: { Size: { type: 'string', enum: ['small', 'large'] } } },
  };
  const size = { anyOf: [{ $ref: '#/components/schemas/Size' }, { type: 'null' }] };

  it('sends each of its values and null', () => {
    const sent = fc.sample(valid(size, document), 100).map(({ json }) => json);
    expect(new Set(sent)).toEqual(new Set(['"small"', '"large"', 'null']));
  });

  it('expects a refusal of other values, but not of null', () => {
    const broken = brokenJson(size, document);
    expect(broken).toContain('"lost"');
    expect(broken).not.toContain('null');
  });
});

describe('the contract test of an enumeration', () => {
  it.each([
    [
      ['4', 'VIP', 'small'],
      ['', 'lost', 'SMALL'],
    ],
    [['lost', ''], ['LOST']],
  ])('expects no refusal of a value of its own: %j', (names, refused) => {
    const schema = { type: 'string', enum: names };
    expect(brokenText(schema)).toEqual(refused);
    const broken = brokenJson(schema, NOTHING).map((json) => JSON.parse(json) as unknown);
    expect(broken).not.toEqual([]);
    expect(names.filter((name) => broken.includes(name))).toEqual([]);
  });
});
