// json/ reads, writes and documents JSON values without rounding a number.

/**
 * A signed 64-bit integer: a `number` up to ±(2^53 - 1), otherwise a `bigint`. Equal values have the same
 * type, so `===` works.
 */
export type Int64 = number | bigint;

export const MIN_INT64 = -(2n ** 63n);
export const MAX_INT64 = 2n ** 63n - 1n;

/**
 * Parses decimal digits with an optional minus sign. Returns `undefined` for other text and for values out of
 * range.
 */
export function parseInt64(text: string): Int64 | undefined {
  if (!/^-?\d{1,40}$/.test(text)) return undefined;
  const number = Number(text);
  if (Number.isSafeInteger(number)) return number === 0 ? 0 : number;
  const exact = BigInt(text);
  return exact >= MIN_INT64 && exact <= MAX_INT64 ? exact : undefined;
}

export function isInt64(value: unknown): value is Int64 {
  return typeof value === 'bigint' || Number.isSafeInteger(value);
}

/** Parses a `bigint` from PostgreSQL. Checks nothing, because it runs for every row of every page. */
export function int64FromDatabase(text: string): Int64 {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}
