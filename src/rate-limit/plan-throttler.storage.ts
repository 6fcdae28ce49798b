import type { ThrottlerStorage } from '@nestjs/throttler';
import { minutes } from '../kernel/clock/duration.js';
import type { Int64 } from '../kernel/json/int64.js';
import type { Decision } from './decision.js';
import { chain, type MaybeAsync } from './maybe-async.js';
import { wholeSeconds } from './rate-limit.headers.js';

export const MINUTE = minutes(1);

/** The id of a key, or the network address of a caller without a valid one. */
export type ClientId = Int64 | string;

/** The client that a window belongs to: an `ApiKeyPrincipal`, an address, or the key of a throttler. */
export interface RateLimitClient {
  readonly id: ClientId;
  readonly limits: {
    readonly perMinute: number;
    /** Absent: no day is counted. */
    readonly perDay?: number;
  };
  /** Length of the short window in milliseconds, where it is not a minute. */
  readonly period?: number;
}

/** One request for a throttler of its route. */
export interface Hit {
  readonly key: string;
  /** Milliseconds. */
  readonly ttl: number;
  readonly limit: number;
  /** Milliseconds from the first refusal on in which every request is refused; 0: the end of the window ends it. */
  readonly blockDuration: number;
}

type ThrottlerStorageRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/** Where requests are counted: a storage of `@nestjs/throttler`, and one atomic step for both windows of a plan. */
export abstract class PlanThrottlerStorage implements ThrottlerStorage {
  /** Decides about one request in one atomic step: both windows are charged or, when one is exhausted, neither. */
  abstract consume(client: RateLimitClient): MaybeAsync<Decision>;

  /** How things stand, without charging anything. */
  abstract peek(client: RateLimitClient): MaybeAsync<Decision>;

  consumeHit(hit: Hit): MaybeAsync<Decision> {
    const { blockDuration } = hit;
    if (blockDuration <= 0) return this.consume(windowOf(hit));
    return chain(this.peek(blockOf(hit)), (block) => {
      if (!block.admitted) return block;
      return chain(this.consume(windowOf(hit)), (window) =>
        window.admitted ? window : chain(this.consume(blockOf(hit)), (started) => refusal(window, started)),
      );
    });
  }

  peekHit(hit: Hit): MaybeAsync<Decision> {
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

/** A block is a window for one request, which the first refused one takes. */
const blockOf = ({ key, blockDuration }: Hit): RateLimitClient => ({
  id: `${key}:block`,
  limits: { perMinute: 1 },
  period: blockDuration,
});

/** Refused until the window and the block have ended. */
const refusal = (...decisions: Decision[]): Decision => ({
  admitted: false,
  windows: decisions.flatMap(({ windows }) => windows).sort((a, b) => b.resetIn - a.resetIn),
});
