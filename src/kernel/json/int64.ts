/**
 * A signed 64-bit integer: a `number` where a double holds it exactly, a `bigint` beyond 2^53 - 1.
 * Equal values have the same type, so `===` compares them.
 */
export type Int64 = number | bigint;

const MIN = -(2n ** 63n);
const MAX = 2n ** 63n - 1n;

/** Parses decimal digits with an optional minus sign; `undefined` for anything else and out of range. */
export function parseInt64(text: string): Int64 | undefined {
  if (!/^-?\d{1,40}$/.test(text)) return undefined;
  const number = Number(text);
  if (Number.isSafeInteger(number)) return number === 0 ? 0 : number;
  const exact = BigInt(text);
  return exact >= MIN && exact <= MAX ? exact : undefined;
}

export function isInt64(value: unknown): value is Int64 {
  return typeof value === 'bigint' || Number.isSafeInteger(value);
}

/** Parses what PostgreSQL writes for a `bigint`, without a check: it runs for every row of every page. */
export function int64FromDatabase(text: string): Int64 {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}
