import type { ThrottlerStorage } from '@nestjs/throttler';
import type { RateLimitClient } from './rate-limit-client.js';
import { type RateLimitResult, wholeSeconds } from './rate-limit.result.js';

export type MaybeAsync<T> = T | Promise<T>;
type ThrottlerStorageRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/** A storage of `@nestjs/throttler` that decides both windows of a plan in one atomic step. */
export abstract class PlanThrottlerStorage implements ThrottlerStorage {
  /** Charges one request to both windows, or to neither when one is exhausted. */
  abstract consume(client: RateLimitClient): MaybeAsync<RateLimitResult>;

  /**
   * What `consume` would decide. Charges nothing.
   * @param isBanned whether no other process charges the client either
   */
  abstract peek(client: RateLimitClient, isBanned?: boolean): MaybeAsync<RateLimitResult>;

  /** Called once, before the first request. */
  open(): MaybeAsync<void> {
    return undefined;
  }

  /** Called once, after the last request: records what is not yet on record. */
  abstract close(): Promise<void>;

  /** Counts a request for a throttler of a route. A block shorter than the window gives no fresh window. */
  async increment(
    key: string,
    ttl: number,
    limit: number,
    blockDuration: number,
  ): Promise<ThrottlerStorageRecord> {
    const window = { id: key, limits: { perMinute: limit }, period: ttl };
    if (blockDuration <= 0) return recordOf(limit, await this.consume(window));
    // A block is a window for one request, which the first refused one fills.
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
