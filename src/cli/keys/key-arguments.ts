import { InvalidArgumentError } from 'commander';
import { days, hours, minutes, seconds } from '../../kernel/clock/duration.js';
import { parseInt64 } from '../../kernel/json/int64.js';
import { StartupError } from '../../kernel/errors/common.errors.js';
import { type Scope, SCOPES } from '../../auth/scopes.js';
import { isSecret } from '../../auth/secret.js';
import { isVisible } from '../visible.js';

const MAX_DAYS = 3660; // ten years
const UNITS = { s: seconds, m: minutes, h: hours, d: days } as const;

export function keyId(id: string) {
  const parsed = parseInt64(id);
  if (parsed !== undefined) return parsed;
  if (isSecret(id))
    throw new StartupError('That is a key. The command takes its id, as petstore keys list shows it.');
  throw new StartupError(
    `${JSON.stringify(id)} is no key id: ids are whole numbers, as petstore keys list shows them.`,
  );
}

export function keyName(value: string): string {
  const length = Array.from(value).length;
  if (length >= 1 && length <= 200 && value.trim() !== '' && isVisible(value)) return value;
  throw new InvalidArgumentError('A name has 1 to 200 visible characters, not only white space.');
}

export function positive(value: string): number {
  const number = /^\d{1,10}$/.test(value) ? Number(value) : 0;
  if (number >= 1 && number <= 2_147_483_647) return number;
  throw new InvalidArgumentError('It must be a whole number from 1 to 2147483647.');
}

/** How many days back a usage can be asked for. */
export function daysBack(value: string): number {
  const number = /^\d{1,4}$/.test(value) ? Number(value) : 0;
  if (number >= 1 && number <= MAX_DAYS) return number;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${MAX_DAYS}.`);
}

/** `90s`, `15m`, `2h` or `7d`, in milliseconds. */
export function duration(value: string): number {
  const [, count, unit] = /^([1-9]\d{0,5})([smhd])$/.exec(value) ?? [];
  if (count && unit) return UNITS[unit as keyof typeof UNITS](Number(count));
  throw new InvalidArgumentError('It must be a duration such as 90s, 15m, 2h or 7d.');
}

/** The same, or `0` for none at all. */
export const durationOrNone = (value: string): number => (/^0[smhd]?$/.test(value) ? 0 : duration(value));

/** When a key ends: a time to come, as a duration from now or in ISO 8601. */
export function expiry(value: string): Date | 'never' {
  if (value === 'never') return value;
  const date = /^\d+[smhd]$/.test(value) ? new Date(Date.now() + duration(value)) : instant(value);
  if (date && date.getTime() > Date.now()) return date;
  throw new InvalidArgumentError(
    'It must be a time to come, such as 90d, 2030-06-30 or 2030-06-30T18:00:00Z, or never.',
  );
}

/** A day begins at 00:00 UTC; a time of day says how far it is from UTC. */
function instant(value: string): Date | undefined {
  const [, day] = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/.exec(value) ?? [];
  const date = new Date(value);
  return day !== undefined && isDay(day) && !Number.isNaN(date.getTime()) ? date : undefined;
}

/** There is no 30 February; `Date` takes it for 2 March. */
function isDay(day: string): boolean {
  const date = new Date(day);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}

/** `pets:read,orders:read`, or `all`. */
export function scopes(value: string): Scope[] | 'all' {
  if (value === 'all') return value;
  const names = value.split(',').map((name) => name.trim());
  const known = SCOPES.filter((scope) => names.includes(scope));
  if (names.every((name) => SCOPES.some((scope) => scope === name))) return known;
  throw new InvalidArgumentError(`It must be all, or some of ${SCOPES.join(', ')}, with commas between.`);
}
