import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { service } from '../../kernel/config/service.js';
import { days } from '../../kernel/clock/duration.js';

/** Maximum time for which the old secret remains valid after a rotation. */
export const MAX_OVERLAP = days(30);

/**
 * The prefix of the service + `_` + 43 base62 digits (256 random bits) + 6 base62 digits of the CRC-32 of
 * what precedes them. Secret scanners recognise the format, and typos are rejected without a look-up.
 */
const prefix = (): string => `${service().prefix}_`;
const RANDOM_BYTES = 32;
const RANDOM_DIGITS = 43;
const CHECKSUM_DIGITS = 6;
const REST = new RegExp(`^[0-9A-Za-z]{${RANDOM_DIGITS + CHECKSUM_DIGITS}}$`);
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export function makeSecret(): string {
  const body = prefix() + base62(BigInt(`0x${randomBytes(RANDOM_BYTES).toString('hex')}`), RANDOM_DIGITS);
  return body + checksum(body);
}

/** Whether a token has the format of a secret and a correct checksum. */
export function isSecret(token: string): boolean {
  const given = prefix();
  if (!token.startsWith(given) || !REST.test(token.slice(given.length))) return false;
  return checksum(token.slice(0, -CHECKSUM_DIGITS)) === token.slice(-CHECKSUM_DIGITS);
}

/** The SHA-256 of a secret in hexadecimal, which is stored instead of it. 256 random bits need no salt. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/** The parts that may be shown, enough to recognise a key. */
export function describeSecret(secret: string): { prefix: string; lastFour: string } {
  return { prefix: secret.slice(0, prefix().length + 4), lastFour: secret.slice(-4) };
}

const checksum = (body: string): string => base62(BigInt(crc32(body)), CHECKSUM_DIGITS);

function base62(value: bigint, digits: number): string {
  let text = '';
  for (let rest = value; text.length < digits; rest /= 62n) text = BASE62.charAt(Number(rest % 62n)) + text;
  return text;
}
