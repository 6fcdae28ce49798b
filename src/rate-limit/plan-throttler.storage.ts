import type { ThrottlerStorage } from '@nestjs/throttler';
import { type RateLimitClient, type RateLimitResult, wholeSeconds } from './rate-limit.result.js';

export type MaybeAsync<T> = T | Promise<T>;
type ThrottlerStorageRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/** A storage for `@nestjs/throttler` that decides both windows of a plan in one atomic step. */
export abstract class PlanThrottlerStorage implements ThrottlerStorage {
  /** Charges one request to both windows, or to neither if one is exhausted. */
  abstract consume(client: RateLimitClient): MaybeAsync<RateLimitResult>;

  /**
   * Returns what `consume` would decide, without charging.
   * @param isBanned whether all processes refuse the client's requests, so the result may be cached
   */
  abstract peek(client: RateLimitClient, isBanned?: boolean): MaybeAsync<RateLimitResult>;

  /** Called once, before the first request. */
  open(): MaybeAsync<void> {
    return undefined;
  }

  /** Called once, after the last request. Records outstanding counts. */
  abstract close(): Promise<void>;

  /** Counts a request for a route throttler. When a block ends, the window continues if it is longer. */
  async increment(
    key: string,
    ttl: number,
    limit: number,
    blockDuration: number,
  ): Promise<ThrottlerStorageRecord> {
    const window = { id: key, limits: { perMinute: limit }, period: ttl };
    if (blockDuration <= 0) return recordOf(limit, await this.consume(window));
    // A block is a window for one request, which the first refused request uses up.
    const block = { id: `${key}:block`, limits: { perMinute: 1 }, period: blockDuration };
    const blocked = await this.peek(block);
    if (!blocked.admitted) return recordOf(limit, blocked);
    const result = await this.consume(window);
    return result.admitted ? recordOf(limit, result) : recordOf(limit, result, await this.consume(block));
  }
}

function recordOf(limit: number, result: RateLimitResult, block?: RateLimitResult): ThrottlerStorageRecord {
  const windows = [...result.windows, ...(block?.windows ?? [])];
  const wait = wholeSeconds(Math.max(...windows.map(({ resetIn }) => resetIn)));
  return {
    totalHits: result.admitted ? limit - (result.windows[0]?.remaining ?? 0) : limit + 1,
    timeToExpire: wait,
    isBlocked: !result.admitted,
    timeToBlockExpire: result.admitted ? 0 : wait,
  };
}
