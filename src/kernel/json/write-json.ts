import { randomUUID } from 'node:crypto';

/** Stands around the digits of a bigint while `JSON.stringify` writes it as a string. Nobody can know it beforehand. */
const MARK = randomUUID();
const MARKED = new RegExp(`"${MARK}(-?\\d+)"`, 'g');

/**
 * The JSON text of a value, 64-bit integers digit for digit. The native writer refuses a bigint with a TypeError,
 * which only ids beyond 2^53 - 1 are: then it writes anew with their digits marked, and the marks are taken off.
 */
export function writeJson(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, null, indent);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return JSON.stringify(value, marked, indent).replace(MARKED, '$1');
  }
}

const marked = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' ? `${MARK}${value}` : value;
