import type { ThrottlerStorage } from '@nestjs/throttler';
import type { Request } from 'express';
import { addressOf, network } from '../../http/core/network.js';
import { minutes } from '../../kernel/clock/duration.js';
import type { RateLimitConfig } from './rate-limit.config.js';

export const MINUTE = minutes(1);

interface Counted {
  /** Of an API key its id, of an address its network, of a route that of route and client. */
  readonly id: string;
  /** Length of the window in milliseconds. */
  readonly ttl: number;
  /** Requests in the window. */
  readonly limit: number;
}

/** An API key, of which UTC calendar days are counted, too. */
export interface CountedKey extends Counted {
  readonly kind: 'key';
  readonly perDay: number;
}

/**
 * An address, or a client of a route with its own limit. Addresses are counted apart, so that made-up ones
 * cannot evict other counts.
 */
export interface CountedWindow extends Counted {
  readonly kind: 'address' | 'route';
  readonly perDay?: undefined;
}

/** Whose requests a storage counts. */
export type QuotaSubject = CountedKey | CountedWindow;

/** The quota of a request: the plan of its key, or that of its address. */
export function quotaOf(request: Request, config: RateLimitConfig): QuotaSubject {
  const { principal } = request;
  if (principal?.kind !== 'key') return addressQuota(network(addressOf(request)), config);
  const { perMinute, perDay } = principal.limits;
  return { kind: 'key', id: String(principal.id), ttl: MINUTE, limit: perMinute, perDay };
}

export const addressQuota = (id: string, { anonymousPerMinute }: RateLimitConfig): QuotaSubject => ({
  kind: 'address',
  id,
  ttl: MINUTE,
  limit: anonymousPerMinute,
});

/** One window after a decision. */
export interface RateLimitWindow {
  readonly name: 'minute' | 'day' | 'route';
  /** Length in seconds. */
  readonly length: number;
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds until the window ends. */
  readonly resetIn: number;
  /** Unix milliseconds when the window ends, constant while it runs. */
  readonly resetAt: number;
}

/** Whether a request is admitted, and the state of each window. */
export interface QuotaResult {
  readonly admitted: boolean;
  readonly windows: readonly RateLimitWindow[];
}

type ThrottlerStorageRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/** The throttler's record, with its window. */
export interface RateLimitRecord extends ThrottlerStorageRecord {
  readonly windows: readonly RateLimitWindow[];
}

/** @param block the window that a refused request of a route waits for, if longer */
export function recordOf(
  { admitted, windows }: QuotaResult,
  block: readonly RateLimitWindow[] = [],
): RateLimitRecord {
  const [{ limit, remaining, resetIn } = { limit: 0, remaining: 0, resetIn: 0 }] = windows;
  const wait = secondsUntilRoom([...windows, ...block]);
  return {
    totalHits: limit - remaining + (admitted ? 0 : 1),
    timeToExpire: wholeSeconds(resetIn),
    isBlocked: !admitted,
    timeToBlockExpire: admitted ? 0 : wait,
    windows,
  };
}

/** Whole seconds until every exhausted window has ended. */
export function secondsUntilRoom(windows: readonly RateLimitWindow[]): number {
  const exhausted = windows.filter(({ remaining }) => remaining === 0);
  return wholeSeconds(Math.max(0, ...exhausted.map(({ resetIn }) => resetIn)));
}

/**
 * The window to report in headers: the one with the fewest requests left, or, of two exhausted ones, the one
 * that resets later.
 */
export function tightestWindow([first, second]: readonly RateLimitWindow[]): RateLimitWindow {
  if (!first) throw new TypeError('A decision has at least one window.');
  if (!second) return first;
  const difference = second.remaining - first.remaining;
  return difference < 0 || (difference === 0 && second.resetIn > first.resetIn) ? second : first;
}

const DAY_SECONDS = 86_400;

/** Usage, counted in this process or in Redis. */
export interface WindowCounts {
  readonly used: number;
  /** Milliseconds until the window ends. */
  readonly left: number;
  /** Unix milliseconds. */
  readonly end: number;
  readonly dayUsed: number;
  /** Milliseconds until the UTC day ends. */
  readonly dayLeft: number;
  /** Unix milliseconds. */
  readonly dayEnd: number;
}

export function toQuotaResult(
  admitted: boolean,
  { ttl, limit, perDay }: QuotaSubject,
  counts: WindowCounts,
): QuotaResult {
  const window: RateLimitWindow = {
    name: ttl === MINUTE ? 'minute' : 'route',
    length: ttl / 1000,
    limit,
    remaining: remaining(limit, counts.used),
    resetIn: counts.left,
    resetAt: counts.end,
  };
  if (perDay === undefined) return { admitted, windows: [window] };
  const day: RateLimitWindow = {
    name: 'day',
    length: DAY_SECONDS,
    limit: perDay,
    remaining: remaining(perDay, counts.dayUsed),
    resetIn: counts.dayLeft,
    resetAt: counts.dayEnd,
  };
  return { admitted, windows: [window, day] };
}

/** Never negative, although a plan's limit may have been lowered below current usage. */
const remaining = (limit: number, used: number): number => (used < limit ? limit - used : 0);

/** Whole seconds to wait, rounded up, at least 1. */
export const wholeSeconds = (milliseconds: number): number => Math.max(1, Math.ceil(milliseconds / 1000));
