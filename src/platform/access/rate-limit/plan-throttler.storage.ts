import type { ThrottlerStorage } from '@nestjs/throttler';
import { type QuotaSubject, type QuotaResult, type RateLimitRecord, recordOf } from './quota.js';

export type MaybeAsync<T> = T | Promise<T>;

/** A storage for `@nestjs/throttler` that decides both windows of a plan in one atomic step. */
export abstract class PlanThrottlerStorage implements ThrottlerStorage {
  /**
   * Charges one request to the window of a route with its own limit, as `@nestjs/throttler` asks for it.
   * @param id that of route and client
   * @param ttl length of the window in milliseconds
   * @param limit requests in the window
   * @param blockDuration milliseconds from the first refused request; 0 blocks until the window ends. When a
   *   block ends, the window continues if it is longer
   */
  async increment(id: string, ttl: number, limit: number, blockDuration: number): Promise<RateLimitRecord> {
    const subject = { kind: 'route', id, ttl, limit } as const;
    if (blockDuration <= 0) return recordOf(await this.decide(subject, true));
    // A block is a window for one request, which the first refused request uses up.
    const block = { kind: 'route', id: `${id}:block`, ttl: blockDuration, limit: 1 } as const;
    const blocked = await this.decide(block, false);
    if (!blocked.admitted) return recordOf(blocked);
    const result = await this.decide(subject, true);
    return recordOf(result, result.admitted ? [] : (await this.decide(block, true)).windows);
  }

  /**
   * Charges one request to all windows of a subject, or to none if one is exhausted; at once if nothing has to
   * be awaited.
   */
  charge(subject: QuotaSubject): MaybeAsync<QuotaResult> {
    return this.decide(subject, true);
  }

  /**
   * Returns what `charge` would decide, without charging.
   * @param isBanned whether all processes refuse these requests, so the result may be cached
   */
  async peek(subject: QuotaSubject, isBanned = false): Promise<QuotaResult> {
    return this.decide(subject, false, isBanned);
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
