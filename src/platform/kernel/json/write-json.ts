import { randomUUID } from 'node:crypto';

/**
 * Marks a bigint that `JSON.stringify` writes as a string. It is random, so that no other value contains it.
 */
const MARK = randomUUID();
const MARKED = new RegExp(`"${MARK}(-?\\d+)"`, 'g');

/**
 * Writes JSON with 64-bit integers digit for digit. On Node.js 20, `JSON.stringify` throws a TypeError for a
 * bigint.
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
