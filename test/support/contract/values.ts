import fc, { type Arbitrary } from 'fast-check';
import { type Document, resolve, type Schema } from './document.js';
import { codePoint } from '../code-point.js';

/** A value as JSON text, and as text for a query or path. */
interface Value {
  readonly json: string;
  readonly text: string;
}

const word = (text: string): Value => ({ json: JSON.stringify(text), text });
const digits = (integer: bigint): Value => ({ json: `${integer}`, text: `${integer}` });

const MAX_ITEMS = 3; // for arrays without a maximum
const MAX_LENGTH = 300; // for strings without a maximum

/** `fc.webPath()` uses 86 MB. */
const paths = fc
  .array(fc.string({ unit: codePoint }).map((segment) => `/${encodeURIComponent(segment)}`))
  .map((segments) => segments.join(''));

const days = fc.date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });

/** Texts of a format. */
const FORMATS: Readonly<Record<string, Arbitrary<string>>> = {
  uri: paths.map((path) => `https://8.8.8.8${path}`), // a public address, so that no name is resolved
  'date-time': days.map((day) => day.toISOString()),
  date: days.map((day) => day.toISOString().slice(0, 10)),
  email: fc.nat().map((number) => `customer-${number}@example.com`),
  uuid: fc.uuid({ version: 4 }),
};

const NULL: Value = { json: 'null', text: 'null' };

const isNullable = ({ type, anyOf }: Schema): boolean =>
  Array.isArray(type) || anyOf?.at(-1)?.type === 'null';

/** Removes `null` from `type: [integer, null]`, and from `anyOf: [{ $ref }, { type: null }]`. */
function withoutNull(schema: Schema): Schema {
  if (schema.anyOf) return schema.anyOf[0] ?? {};
  const [type] = [schema.type ?? []].flat().filter((one) => one !== 'null');
  return { ...schema, type };
}

/** Values that a schema accepts. */
export function valid(schema: Schema, document: Document): Arbitrary<Value> {
  const resolved = resolve(document, schema);
  if (isNullable(resolved)) return fc.oneof(valid(withoutNull(resolved), document), fc.constant(NULL));
  const { enum: names, type, format, minimum, maximum } = resolved;
  if (type === 'array') return arrays(resolved, document);
  if (type === 'object') return objects(resolved, document);
  if (type === 'boolean')
    return fc.constantFrom({ json: 'true', text: 'true' }, { json: 'false', text: 'false' });
  if (type === 'number')
    return fc
      .integer({ min: Math.ceil(minimum ?? -1000), max: maximum ?? 1000 })
      .map(BigInt)
      .map(digits);
  if (names) return fc.constantFrom(...names).map(word);
  if (type === 'integer') return fc.bigInt(range(minimum, maximum)).map(digits);
  const formatted = FORMATS[format ?? ''];
  if (formatted) return formatted.map(word);
  return texts(resolved).map(word);
}

function texts({ minLength, maxLength = MAX_LENGTH, pattern, examples }: Schema): Arbitrary<string> {
  const matches = new RegExp(pattern ?? '', 'u');
  const isStorable = (text: string) => matches.test(text) && !text.includes('\0'); // PostgreSQL cannot store NUL
  const any = fc.string({ unit: codePoint, minLength, maxLength, size: 'max' });
  const some = fc.sample(any, { numRuns: 20, seed: 1 });
  if (some.filter(isStorable).length > 10) return any.filter(isStorable); // a pattern such as that of `@Text()`
  const hasLength = ({ length }: string) => length >= (minLength ?? 0) && length <= maxLength;
  try {
    return fc.stringMatching(matches, { maxLength }).filter((text) => isStorable(text) && hasLength(text));
  } catch (cause) {
    if (examples) return fc.constantFrom(...(examples as string[])); // fast-check knows no look-around
    throw new Error(`The contract test cannot make a text for ${pattern}. Give the property an example.`, {
      cause,
    });
  }
}

function arrays(schema: Schema, document: Document): Arbitrary<Value> {
  const { items = {}, minItems, maxItems, uniqueItems } = schema;
  const areObjects = resolve(document, items).type === 'object'; // many of them exceed the limit of a body
  const most = areObjects ? Math.min(MAX_ITEMS, maxItems ?? MAX_ITEMS) : (maxItems ?? MAX_ITEMS);
  const lengths = { minLength: minItems, maxLength: Math.max(minItems ?? 0, most) };
  const item = valid(items, document);
  const some = uniqueItems
    ? fc.uniqueArray(item, { ...lengths, selector: ({ json }) => json })
    : fc.array(item, lengths);
  return some.map((values) => ({
    json: `[${values.map(({ json }) => json).join(',')}]`,
    text: values.map(({ text }) => text).join(','),
  }));
}

/** Only required properties, because others may refer back to the object itself. */
function objects({ properties = {}, required = [] }: Schema, document: Document): Arbitrary<Value> {
  const values = required.map((name) =>
    valid(properties[name] ?? {}, document).map(({ json }) => `${JSON.stringify(name)}:${json}`),
  );
  return fc.tuple(...values).map((properties) => ({ json: `{${properties.join(',')}}`, text: '' }));
}

/** JSON texts that a schema rejects. */
export function brokenJson(schema: Schema, document: Document): string[] {
  const resolved = resolve(document, schema);
  if (isNullable(resolved))
    return brokenJson(withoutNull(resolved), document).filter((json) => json !== 'null');
  const { enum: names, type, minLength, maxLength, pattern } = resolved;
  if (names) {
    const broken = ['"lost"', '""', 'null', '5', JSON.stringify(names)];
    return broken.filter((json) => !names.map(word).some((one) => one.json === json));
  }
  if (type === 'array') return ['"x"', 'null', '5', 'true', '{}'];
  if (type === 'object') return ['"x"', 'null', '5', 'true', '[]'];
  if (type === 'boolean') return ['"x"', 'null', '5', '[]', '{}'];
  if (type === 'number') return ['"x"', 'null', 'true', '[]', '{}'];
  if (type === 'integer') return ['"7"', 'null', 'true', '1.5', '1e-1', '[]', '{}', ...beyond(resolved)];
  return [
    ...['null', '5', 'true', '[]', '{}'],
    ...(resolved.format === 'decimal' ? ['12.5', '"1e3"', '" 1"', '"01"', `"${'9'.repeat(999)}"`] : []),
    ...(minLength === undefined ? [] : ['""']),
    ...(maxLength === undefined ? [] : [JSON.stringify('x'.repeat(maxLength + 1))]),
    ...(pattern === undefined || new RegExp(pattern, 'u').test(' \n') ? [] : ['" \\n"']),
  ];
}

/** Texts for a query or path that a schema rejects. */
export function brokenText(schema: Schema): string[] {
  const { enum: names } = schema;
  if (names) {
    const broken = ['', 'lost', ...names.map((name) => name.toUpperCase())];
    return broken.filter((text) => !names.includes(text)); // `VIP` and `4` are their own upper case
  }
  if (schema.type === 'boolean') return ['x', '7'];
  if (schema.type === 'array') return ['', 'one', '1,,2', ...beyond(schema.items ?? {})];
  if (schema.type === 'integer') return ['ten', '1.5', '1e1', '0x10', ' 5', ...beyond(schema)];
  if (schema.type === 'number') return ['', 'ten'];
  if (schema.format !== undefined) return ['x'];
  return schema.maxLength === undefined ? [] : ['x'.repeat(schema.maxLength + 1)];
}

function beyond({ minimum, maximum }: Schema): string[] {
  const { min, max } = range(minimum, maximum);
  return [`${min - 1n}`, `${max + 1n}`];
}

const range = (minimum?: number, maximum?: number) => ({
  min: minimum === undefined ? -(2n ** 63n) : BigInt(minimum),
  max: maximum === undefined ? 2n ** 63n - 1n : BigInt(maximum),
});
