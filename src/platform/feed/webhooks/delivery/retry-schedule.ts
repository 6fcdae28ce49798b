import { hours, minutes, seconds } from '../../../kernel/clock/duration.js';

/** Waits after each attempt, in milliseconds. They add up to a little more than 3 days. */
const WAITS = [
  ...[seconds(5), minutes(5), minutes(30), hours(2), hours(5)],
  ...[hours(10), hours(14), hours(20), hours(24)],
];

/**
 * The maximum jitter, as a fraction of the wait. Deliveries that failed together should not be retried
 * together.
 */
const JITTER = 0.1;

/**
 * How long to wait after a failed attempt, in milliseconds; `undefined` after the last one.
 * @param attempts made so far
 * @param random from 0 to 1
 */
export function waitAfter(attempts: number, random = Math.random()): number | undefined {
  const wait = WAITS[attempts - 1];
  return wait === undefined ? undefined : Math.round(wait * (1 + JITTER * random));
}
