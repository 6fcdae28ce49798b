import type { ThrottlerStorage } from '@nestjs/throttler';
import { minutes } from '../kernel/clock/duration.js';
import type { Int64 } from '../kernel/json/int64.js';
import type { RateLimitResult } from './rate-limit.result.js';
import { chain, type MaybeAsync } from './maybe-async.js';
import { wholeSeconds } from './rate-limit.headers.js';

export const MINUTE = minutes(1);

/** The id of an API key, a network address, or the key of a throttler. */
export type ClientId = Int64 | string;

/** The client that a request is counted for, and its limits. An `ApiKeyPrincipal` is one. */
export interface RateLimitClient {
  readonly id: ClientId;
  readonly limits: {
    readonly perMinute: number;
    /** Absent: no day is counted. */
    readonly perDay?: number;
  };
  /** Length of the short window in milliseconds; default: a minute. */
  readonly period?: number;
}

/** One request to a throttler of a route. */
export interface Hit {
  readonly key: string;
  /** Milliseconds. */
  readonly ttl: number;
  readonly limit: number;
  /** Milliseconds for which requests are refused after the first refused one; 0: until the window ends. */
  readonly blockDuration: number;
}

type ThrottlerStorageRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/** A storage of `@nestjs/throttler` that decides both windows of a plan in one atomic step. */
export abstract class PlanThrottlerStorage implements ThrottlerStorage {
  /** Charges one request to both windows, or to neither when one is exhausted. */
  abstract consume(client: RateLimitClient): MaybeAsync<RateLimitResult>;

  /** What `consume` would decide. Charges nothing. */
  abstract peek(client: RateLimitClient): MaybeAsync<RateLimitResult>;

  /** Called once, before the first request. */
  open(): MaybeAsync<void> {
    return undefined;
  }

  /** Called once, after the last request: records what is not yet on record. */
  abstract close(): Promise<void>;

  consumeHit(hit: Hit): MaybeAsync<RateLimitResult> {
    const { blockDuration } = hit;
    if (blockDuration <= 0) return this.consume(windowOf(hit));
    return chain(this.peek(blockOf(hit)), (block) => {
      if (!block.admitted) return block;
      return chain(this.consume(windowOf(hit)), (window) =>
        window.admitted ? window : chain(this.consume(blockOf(hit)), (started) => refusal(window, started)),
      );
    });
  }

  peekHit(hit: Hit): MaybeAsync<RateLimitResult> {
    if (hit.blockDuration <= 0) return this.peek(windowOf(hit));
    return chain(this.peek(blockOf(hit)), (block) => (block.admitted ? this.peek(windowOf(hit)) : block));
  }

  async increment(
    key: string,
    ttl: number,
    limit: number,
    blockDuration: number,
  ): Promise<ThrottlerStorageRecord> {
    const { admitted, windows } = await this.consumeHit({ key, ttl, limit, blockDuration });
    const { remaining = 0, resetIn = 0 } = windows[0] ?? {};
    const seconds = wholeSeconds(resetIn);
    return {
      totalHits: admitted ? limit - remaining : limit + 1,
      timeToExpire: seconds,
      isBlocked: !admitted,
      timeToBlockExpire: admitted ? 0 : seconds,
    };
  }
}

const windowOf = ({ key, ttl, limit }: Hit): RateLimitClient => ({
  id: key,
  limits: { perMinute: limit },
  period: ttl,
});

/** A block is a window for one request, which the first refused request fills. */
const blockOf = ({ key, blockDuration }: Hit): RateLimitClient => ({
  id: `${key}:block`,
  limits: { perMinute: 1 },
  period: blockDuration,
});

/** The longest wait first. */
const refusal = (...results: RateLimitResult[]): RateLimitResult => ({
  admitted: false,
  windows: results.flatMap(({ windows }) => windows).sort((a, b) => b.resetIn - a.resetIn),
});
