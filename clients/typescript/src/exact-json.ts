/** How identifiers appear: they are signed 64-bit integers, and a JavaScript number keeps every digit only up to 2^53. */
export interface IdTypes {
  readonly bigint: bigint;
  readonly string: string;
  readonly number: number;
}
export type IdKind = keyof IdTypes;

/** A property named `id` or `...Id` is an identifier, whatever its size, and so is each of `ids` or `...Ids`. */
export type Exact<T, Id = bigint> = T extends readonly (infer Item)[]
  ? Exact<Item, Id>[]
  : T extends object
    ? {
        [Name in keyof T]: Name extends 'id' | 'ids' | `${string}Id` | `${string}Ids`
          ? ExactId<T[Name], Id>
          : Exact<T[Name], Id>;
      }
    : T;

/** The same for what a caller gives. */
export type Given<T, Id = bigint> = Loose<Exact<T, Id>>;
/** A caller may write `undefined` for what is left out, also with `exactOptionalPropertyTypes`. */
export type Loose<T> = { [Name in keyof T]: T[Name] | (object extends Pick<T, Name> ? undefined : never) };

type ExactId<T, Id> = T extends number ? Id : T extends readonly number[] ? readonly Id[] : T;

const isIdentifier = (name: string) => name === 'id' || name.endsWith('Id');

// A text, with the colon that makes it a name, or a number. What is a number inside a text is part of that text. A text
// without an end matches too: otherwise each of its quotation marks would be tried as a start, in quadratic time.
const TOKEN = /"[^"\\]*(?:\\[^]?[^"\\]*)*(?:"(\s*:)?|$)|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const DIGITS_AT_RISK = /^-?\d{16,}$/;

// U+0000 can stand in a JSON text in this spelling alone, so that no text of a response passes for a marked integer.
const MARK = '\u0000';
const WRITTEN_MARK = '\\u0000';

/**
 * Parses JSON without losing a digit. An integer under the name of an identifier is of the given kind, and every other one
 * that a number cannot hold is a bigint.
 * @throws SyntaxError if the text is not JSON
 * @throws RangeError for an identifier that a number cannot hold, where numbers are wanted
 */
export function readJson(text: string, ids: IdKind = 'bigint'): unknown {
  const marked = text.replace(TOKEN, (token, colon?: string) => {
    if (DIGITS_AT_RISK.test(token)) return `"${WRITTEN_MARK}${token}"`;
    const looksMarked = colon === undefined && token.startsWith(`"${WRITTEN_MARK}`);
    return looksMarked ? `"${WRITTEN_MARK}${token.slice(1)}` : token;
  });
  return JSON.parse(marked, (name, value: unknown) => {
    if (typeof value === 'number')
      return isIdentifier(name) && Number.isInteger(value) ? identifier(String(value), ids) : value;
    if (typeof value !== 'string' || !value.startsWith(MARK)) return value;
    const rest = value.slice(MARK.length);
    if (rest.startsWith(MARK)) return rest;
    return isIdentifier(name) ? identifier(rest, ids) : exactInteger(rest);
  });
}

function identifier(digits: string, kind: IdKind): IdTypes[IdKind] {
  if (kind === 'string') return digits;
  if (kind === 'bigint') return BigInt(digits);
  const number = Number(digits);
  if (Number.isSafeInteger(number)) return number;
  throw new RangeError(
    `A number cannot hold the identifier ${digits}. Read identifiers as 'string' or 'bigint'.`,
  );
}

function exactInteger(digits: string): bigint | number {
  const number = Number(digits);
  return Number.isSafeInteger(number) ? number : BigInt(digits);
}

/**
 * Writes JSON with bigints, and identifiers that are strings of digits, as numbers, digit for digit.
 * @throws RangeError for a number whose digits are lost already
 */
export function writeJson(value: unknown, name = ''): string {
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'string' && isIdentifier(name) && /^-?(0|[1-9]\d*)$/.test(value)) return value;
  if (Array.isArray(value)) return `[${value.map((item) => writeJson(item)).join(',')}]`;
  if (typeof value === 'object' && value !== null && !('toJSON' in value)) {
    const properties = Object.entries(value).filter(([, property]) => property !== undefined);
    return `{${properties.map(([key, property]) => `${JSON.stringify(key)}:${writeJson(property, key)}`).join(',')}}`;
  }
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new RangeError(`${String(value)} has lost digits: give integers above 2^53 as bigint or string.`);
  }
  return JSON.stringify(value ?? null);
}
