/**
 * Identifiers are signed 64-bit integers, and a JavaScript number keeps every digit only up to 2^53. So a property named
 * `id` or `...Id` is a bigint, whatever its size, and so is each of `ids` or `...Ids`.
 */
export type Exact<T> = T extends readonly (infer Item)[]
  ? Exact<Item>[]
  : T extends object
    ? {
        [Name in keyof T]: Name extends 'id' | 'ids' | `${string}Id` | `${string}Ids`
          ? ExactId<T[Name]>
          : Exact<T[Name]>;
      }
    : T;

type ExactId<T> = T extends number ? bigint : T extends readonly number[] ? readonly bigint[] : T;

const isIdentifier = (name: string) => name === 'id' || name.endsWith('Id');

// A text, with the colon that makes it a name, or a number. What is a number inside a text is part of that text. A text
// without an end matches too: otherwise each of its quotation marks would be tried as a start, in quadratic time.
const TOKEN = /"[^"\\]*(?:\\[^]?[^"\\]*)*(?:"(\s*:)?|$)|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const DIGITS_AT_RISK = /^-?\d{16,}$/;

// U+0000 can stand in a JSON text in this spelling alone, so that no text of a response passes for a marked integer.
const MARK = '\u0000';
const WRITTEN_MARK = '\\u0000';

/**
 * Parses JSON without losing a digit. An integer under the name of an identifier is a bigint, and so is every other
 * one that a number cannot hold.
 * @throws SyntaxError if the text is not JSON
 */
export function readJson(text: string): unknown {
  const marked = text.replace(TOKEN, (token, colon?: string) => {
    if (DIGITS_AT_RISK.test(token)) return `"${WRITTEN_MARK}${token}"`;
    const looksMarked = colon === undefined && token.startsWith(`"${WRITTEN_MARK}`);
    return looksMarked ? `"${WRITTEN_MARK}${token.slice(1)}` : token;
  });
  return JSON.parse(marked, (name, value: unknown) => {
    if (typeof value === 'number')
      return isIdentifier(name) && Number.isInteger(value) ? BigInt(value) : value;
    if (typeof value !== 'string' || !value.startsWith(MARK)) return value;
    const rest = value.slice(MARK.length);
    return rest.startsWith(MARK) ? rest : exactInteger(name, rest);
  });
}

function exactInteger(name: string, digits: string): bigint | number {
  const number = Number(digits);
  return Number.isSafeInteger(number) && !isIdentifier(name) ? number : BigInt(digits);
}

/**
 * Writes JSON with bigints as numbers, digit for digit.
 * @throws RangeError for a number whose digits are lost already: above 2^53 an identifier has to be a bigint
 */
export function writeJson(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map(writeJson).join(',')}]`;
  if (typeof value === 'object' && value !== null && !('toJSON' in value)) {
    const properties = Object.entries(value).filter(([, property]) => property !== undefined);
    return `{${properties.map(([name, property]) => `${JSON.stringify(name)}:${writeJson(property)}`).join(',')}}`;
  }
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new RangeError(`${String(value)} has lost digits: give integers above 2^53 as bigint.`);
  }
  return JSON.stringify(value ?? null);
}
