import { minutes } from '../kernel/clock/duration.js';
import type { Int64 } from '../kernel/json/int64.js';

export const MINUTE = minutes(1);

/** The id of an API key, a network address, or the key of a route throttler. */
export type ClientId = Int64 | string;

/** The client that a request is counted for, with its limits. `ApiKeyPrincipal` has this shape. */
export interface RateLimitClient {
  readonly id: ClientId;
  readonly limits: {
    readonly perMinute: number;
    /** If absent, days are not counted. */
    readonly perDay?: number;
  };
  /** Length of the short window in milliseconds. Default: one minute. */
  readonly period?: number;
}

/** One window of a client after a decision. */
export interface RateLimitWindow {
  readonly name: 'minute' | 'day';
  /** Length in seconds. */
  readonly length: number;
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds until the window ends. */
  readonly resetIn: number;
  /** Unix milliseconds when the window ends, constant while it runs. */
  readonly resetAt: number;
}

/** The decision about one request, with the state of each window. */
export interface RateLimitResult {
  readonly admitted: boolean;
  readonly windows: readonly RateLimitWindow[];
  /** Milliseconds until the ban of the key ends. */
  readonly bannedFor?: number;
}

/**
 * The window to report in headers: the one with the fewest requests left, or, of two exhausted ones, the one that
 * resets later.
 */
export function tightestWindow({ windows }: RateLimitResult): RateLimitWindow {
  return windows.reduce((tightest, window) =>
    window.remaining < tightest.remaining ||
    (window.remaining === tightest.remaining && window.resetIn > tightest.resetIn)
      ? window
      : tightest,
  );
}

const DAY_SECONDS = 86_400;

/** A client's usage, counted in this process or in Redis. */
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

/** Whether one more request stays within both limits. */
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
  const minute: RateLimitWindow = {
    name: 'minute',
    length: period / 1000,
    limit: limits.perMinute,
    remaining: remaining(limits.perMinute, counts.minuteUsed),
    resetIn: counts.minuteLeft,
    resetAt: counts.minuteEnd,
  };
  if (limits.perDay === undefined) return { admitted, windows: [minute] };
  const day: RateLimitWindow = {
    name: 'day',
    length: DAY_SECONDS,
    limit: limits.perDay,
    remaining: remaining(limits.perDay, counts.dayUsed),
    resetIn: counts.dayLeft,
    resetAt: counts.dayEnd,
  };
  return { admitted, windows: [minute, day] };
}

/** Never negative, although a plan's limit may have been lowered below current usage. */
const remaining = (limit: number, used: number): number => (used < limit ? limit - used : 0);

/** Whole seconds to wait, rounded up, at least 1. */
export const wholeSeconds = (milliseconds: number): number => Math.max(1, Math.ceil(milliseconds / 1000));
