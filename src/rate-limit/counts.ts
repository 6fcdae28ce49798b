import type { Decision } from './decision.js';
import { MINUTE, type RateLimitClient } from './plan-throttler.storage.js';

/** What a principal has used, wherever that was counted. */
export interface Counts {
  readonly minuteUsed: number;
  /** Milliseconds until the minute ends. */
  readonly minuteLeft: number;
  /** Unix milliseconds. */
  readonly minuteEnd: number;
  readonly dayUsed: number;
  /** Milliseconds until the UTC day ends. */
  readonly dayLeft: number;
  /** Unix milliseconds. */
  readonly dayEnd: number;
}

const DAY_SECONDS = 86_400;

/** Whether one more request is within both limits. */
export function admits(
  { limits }: RateLimitClient,
  { minuteUsed, dayUsed }: Pick<Counts, 'minuteUsed' | 'dayUsed'>,
): boolean {
  return minuteUsed < limits.perMinute && (limits.perDay === undefined || dayUsed < limits.perDay);
}

export function decision(
  admitted: boolean,
  { limits, period = MINUTE }: RateLimitClient,
  counts: Counts,
): Decision {
  const minute = {
    name: 'minute' as const,
    length: period / 1000,
    limit: limits.perMinute,
    remaining: left(limits.perMinute, counts.minuteUsed),
    resetIn: counts.minuteLeft,
    resetAt: counts.minuteEnd,
  };
  if (limits.perDay === undefined) return { admitted, windows: [minute] };
  const day = {
    name: 'day' as const,
    length: DAY_SECONDS,
    limit: limits.perDay,
    remaining: left(limits.perDay, counts.dayUsed),
    resetIn: counts.dayLeft,
    resetAt: counts.dayEnd,
  };
  return { admitted, windows: [minute, day] };
}

/** Never below zero: a plan may have shrunk below what was used before. */
const left = (limit: number, used: number): number => (used < limit ? limit - used : 0);
