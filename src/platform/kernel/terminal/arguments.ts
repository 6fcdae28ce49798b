import { InvalidArgumentError } from 'commander';
import { days, hours, minutes, seconds } from '../clock/duration.js';

const MAX_DAYS = 3660; // ten years
const UNITS = { s: seconds, m: minutes, h: hours, d: days } as const;

/** Parses a whole number from 1 to `max`. @throws InvalidArgumentError */
export const wholeNumber =
  (max: number) =>
  (value: string): number => {
    const number = /^\d{1,10}$/.test(value) ? Number(value) : 0;
    if (number >= 1 && number <= max) return number;
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${max}.`);
  };

/** Parses a number of days up to ten years. @throws InvalidArgumentError */
export const daysBack = wholeNumber(MAX_DAYS);

/** Parses `90s`, `15m`, `2h` or `7d` to milliseconds. */
export function duration(value: string): number {
  const [, count, unit] = /^([1-9]\d{0,5})([smhd])$/.exec(value) ?? [];
  if (count && unit) return UNITS[unit as keyof typeof UNITS](Number(count));
  throw new InvalidArgumentError('It must be a duration such as 90s, 15m, 2h or 7d.');
}
