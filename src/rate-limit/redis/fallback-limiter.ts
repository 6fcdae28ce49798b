import type { Clock } from '../../kernel/clock/clock.js';
import { resultOf } from '../window-counts.js';
import type { RateLimitResult, RateLimitWindow } from '../rate-limit.result.js';
import type { RateLimitClient } from '../plan-throttler.storage.js';
import type { ClientUsage, ResultCache } from './result-cache.js';
import type { WindowUsage } from './window-usage.js';

/**
 * Decides while Redis is unavailable. Each replica may admit its part of what was left of a limit when it last heard of the
 * client, and no more until Redis knows of it: however often Redis goes, it is the same part.
 */
export class FallbackLimiter {
  constructor(
    private readonly clock: Clock,
    private readonly cache: ResultCache,
    private readonly replicas: { readonly count: number },
  ) {}

  consume(client: RateLimitClient): RateLimitResult {
    return this.decide(client, true);
  }

  peek(client: RateLimitClient): RateLimitResult {
    return this.decide(client, false);
  }

  private decide(client: RateLimitClient, charge: boolean): RateLimitResult {
    const elapsed = this.clock.elapsed();
    const usage = this.cache.find(client, elapsed);
    const { minute, day } = usage;
    const { perMinute, perDay } = client.limits;
    this.cache.begin(usage, elapsed);
    const admitted = this.left(perMinute, minute) > 0 && (perDay === undefined || this.left(perDay, day) > 0);
    if (admitted && charge) {
      minute.admitLocally();
      day.admitLocally();
      // The window of an address is too short to report, and a flood of addresses must leave nothing behind.
      if (perDay !== undefined) this.cache.addPending(usage);
    }
    const { windows } = resultOf(admitted, client, this.cache.counts(usage, elapsed));
    return { admitted, windows: windows.map((window) => this.withShare(window, usage)) };
  }

  /** The client's own limit, with what is left of this replica's share of it. */
  private withShare(window: RateLimitWindow, { minute, day }: ClientUsage): RateLimitWindow {
    return {
      ...window,
      remaining: Math.max(0, this.left(window.limit, window.name === 'day' ? day : minute)),
    };
  }

  /** What this replica may still admit before Redis hears of it. */
  private left(limit: number, { used, pending }: WindowUsage): number {
    const rest = limit - used;
    const share = rest > 0 ? Math.max(1, Math.floor(rest / this.replicas.count)) : 0;
    return share - pending;
  }
}
