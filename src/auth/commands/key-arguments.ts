import { InvalidArgumentError } from 'commander';
import { days, hours, minutes, seconds } from '../../clock/duration.js';
import { parseInt64 } from '../../json/int64.js';
import { StartupError } from '../../start/startup.error.js';

const UNITS = { s: seconds, m: minutes, h: hours, d: days } as const;

export function keyId(id: string) {
  const parsed = parseInt64(id);
  if (parsed !== undefined) return parsed;
  throw new StartupError(
    `${JSON.stringify(id)} is no key id: ids are whole numbers, as petstore keys list shows them.`,
  );
}

export function keyName(value: string): string {
  const length = Array.from(value).length;
  if (length >= 1 && length <= 200 && value.trim() !== '') return value;
  throw new InvalidArgumentError('A name has 1 to 200 characters, not only white space.');
}

export function positive(value: string): number {
  const number = /^\d{1,10}$/.test(value) ? Number(value) : 0;
  if (number >= 1 && number <= 2_147_483_647) return number;
  throw new InvalidArgumentError('It must be a whole number from 1 to 2147483647.');
}

/** `90s`, `15m`, `2h` or `7d`, in milliseconds. */
export function duration(value: string): number {
  const [, count, unit] = /^([1-9]\d{0,5})([smhd])$/.exec(value) ?? [];
  if (count && unit) return UNITS[unit as keyof typeof UNITS](Number(count));
  throw new InvalidArgumentError('It must be a duration such as 90s, 15m, 2h or 7d.');
}
