import { MINUTE, type RateLimitClient } from './plan-throttler.storage.js';
import type { RateLimitResult } from './rate-limit.result.js';

const DAY_SECONDS = 86_400;

/** What a client has used, in this process or in Redis. */
export interface WindowCounts {
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

/** Whether one more request is within both limits. */
export function admits(
  { limits }: RateLimitClient,
  { minuteUsed, dayUsed }: Pick<WindowCounts, 'minuteUsed' | 'dayUsed'>,
): boolean {
  return minuteUsed < limits.perMinute && (limits.perDay === undefined || dayUsed < limits.perDay);
}

export function resultOf(
  admitted: boolean,
  { limits, period = MINUTE }: RateLimitClient,
  counts: WindowCounts,
): RateLimitResult {
  const minute = {
    name: 'minute',
    length: period / 1000,
    limit: limits.perMinute,
    remaining: remaining(limits.perMinute, counts.minuteUsed),
    resetIn: counts.minuteLeft,
    resetAt: counts.minuteEnd,
  };
  if (limits.perDay === undefined) return { admitted, windows: [minute] };
  const day = {
    name: 'day',
    length: DAY_SECONDS,
    limit: limits.perDay,
    remaining: remaining(limits.perDay, counts.dayUsed),
    resetIn: counts.dayLeft,
    resetAt: counts.dayEnd,
  };
  return { admitted, windows: [minute, day] };
}

/** Never below zero: a plan may have shrunk below what is used. */
const remaining = (limit: number, used: number): number => (used < limit ? limit - used : 0);
