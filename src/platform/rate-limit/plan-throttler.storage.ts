import type { ThrottlerStorage } from '@nestjs/throttler';
import { type QuotaSubject, type QuotaResult, type RateLimitRecord, recordOf } from './quota.js';

export type MaybeAsync<T> = T | Promise<T>;

/** A storage for `@nestjs/throttler` that decides both windows of a plan in one atomic step. */
export abstract class PlanThrottlerStorage implements ThrottlerStorage {
  /**
   * Charges one request to both windows, or to neither if one is exhausted.
   * @param ttl length of the short window in milliseconds
   * @param limit requests in the short window
   * @param blockDuration milliseconds from the first refused request; 0 blocks until the window ends. When a
   *   block ends, the window continues if it is longer
   * @param perDay requests in a UTC day; if absent, days are not counted
   */
  async increment(
    key: string,
    ttl: number,
    limit: number,
    blockDuration: number,
    name: string,
    perDay?: number,
  ): Promise<RateLimitRecord> {
    const subject = { key, ttl, limit, perDay, name };
    if (blockDuration <= 0) return recordOf(await this.decide(subject, true));
    // A block is a window for one request, which the first refused request uses up.
    const block = { key: `${key}:block`, ttl: blockDuration, limit: 1, name };
    const blocked = await this.decide(block, false);
    if (!blocked.admitted) return recordOf(blocked);
    const result = await this.decide(subject, true);
    return recordOf(result, result.admitted ? [] : (await this.decide(block, true)).windows);
  }

  /** Charges one request as `increment` does without a block; at once if nothing has to be awaited. */
  charge(subject: QuotaSubject): MaybeAsync<QuotaResult> {
    return this.decide(subject, true);
  }

  /**
   * Returns what `increment` would decide, without charging.
   * @param isBanned whether all processes refuse these requests, so the result may be cached
   */
  async peek(subject: QuotaSubject, isBanned = false): Promise<RateLimitRecord> {
    return recordOf(await this.decide(subject, false, isBanned));
  }

  /** Called once, before the first request. */
  open(): MaybeAsync<void> {
    return undefined;
  }

  /** Called once, after the last request. Records outstanding counts. */
  abstract close(): Promise<void>;

  protected abstract decide(
    subject: QuotaSubject,
    charges: boolean,
    isBanned?: boolean,
  ): MaybeAsync<QuotaResult>;
}
