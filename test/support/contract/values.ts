import fc from 'fast-check';
import type { Schema } from './document.js';

/** A value as it stands in a JSON text and as it stands in a query or path. */
export interface Value {
  readonly json: string;
  readonly text: string;
}

const word = (text: string): Value => ({ json: JSON.stringify(text), text });
const digits = (integer: bigint): Value => ({ json: `${integer}`, text: `${integer}` });

/** Values that a schema takes. */
export function valid({ enum: names, type, minimum, maximum, minLength, maxLength, pattern }: Schema) {
  if (names) return fc.constantFrom(...names).map(word);
  if (type === 'integer') return fc.bigInt(range(minimum, maximum)).map(digits);
  const matches = new RegExp(pattern ?? '', 'u');
  return fc
    .string({ unit: 'binary', minLength, maxLength, size: 'max' })
    .filter((text) => matches.test(text))
    .map(word);
}

/** JSON texts that a schema does not take. */
export function brokenJson(schema: Schema): string[] {
  const { enum: names, type, minLength, maxLength, pattern } = schema;
  if (names) return ['"lost"', '""', 'null', '5', JSON.stringify(names)];
  if (type === 'integer') return ['"7"', 'null', 'true', '1.5', '1e1', '1.0', '[]', '{}', ...beyond(schema)];
  return [
    ...['null', '5', 'true', '[]', '{}'],
    ...(minLength === undefined ? [] : ['""']),
    ...(maxLength === undefined ? [] : [JSON.stringify('x'.repeat(maxLength + 1))]),
    ...(pattern === undefined ? [] : ['" \\n"']),
  ];
}

/** Texts of a query or path that a schema does not take. */
export function brokenText(schema: Schema): string[] {
  if (schema.enum) return ['', 'lost', ...schema.enum.map((name) => name.toUpperCase())];
  if (schema.type === 'integer') return ['ten', '1.5', '1e1', '0x10', ' 5', ...beyond(schema)];
  return ['x', 'AAAA', '\0']; // a cursor is a string, yet not any string
}

function beyond({ minimum, maximum }: Schema): string[] {
  const { min, max } = range(minimum, maximum);
  return [`${min - 1n}`, `${max + 1n}`];
}

const range = (minimum?: number, maximum?: number) => ({
  min: minimum === undefined ? -(2n ** 63n) : BigInt(minimum),
  max: maximum === undefined ? 2n ** 63n - 1n : BigInt(maximum),
});
