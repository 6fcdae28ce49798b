import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Config } from '../../kernel/config/config.js';
import { admits, resultOf } from '../window-counts.js';
import type { RateLimitResult } from '../rate-limit.result.js';
import { PlanThrottlerStorage, type RateLimitClient } from '../plan-throttler.storage.js';
import { WindowCounters } from './window-counters.js';
import { DailyReservations } from '../daily-usage/daily-reservations.js';
import type { DailyUsageWriter } from '../daily-usage/daily-usage.writer.js';

/**
 * WindowCounts in this process's memory. A decision waits for nothing, but for the first one of a key (its day so far is
 * on record in PostgreSQL) and for one that overtakes the reservation made ahead of it.
 */
@Injectable()
export class MemoryThrottlerStorage extends PlanThrottlerStorage implements OnApplicationShutdown {
  private readonly counters: WindowCounters;
  private readonly reservations: DailyReservations;

  constructor(
    private readonly clock: Clock,
    writer: DailyUsageWriter,
    { maxAnonymousAddresses }: Config,
  ) {
    super();
    this.counters = new WindowCounters(clock, maxAnonymousAddresses);
    this.reservations = new DailyReservations(writer);
  }

  consume(client: RateLimitClient): RateLimitResult | Promise<RateLimitResult> {
    const now = this.now();
    const counter = this.counters.find(client, now);
    const admitted = admits(client, counter);
    if (admitted) {
      if (client.limits.perDay !== undefined) {
        const wait = this.reservations.reserve(client.id, this.day, counter, client.limits.perDay);
        if (wait) return wait.then(() => this.consume(client));
      }
      counter.minuteUsed += 1;
      counter.dayUsed += 1;
    }
    return resultOf(admitted, client, this.counters.counts(counter, client, now));
  }

  peek(client: RateLimitClient): RateLimitResult | Promise<RateLimitResult> {
    const now = this.now();
    const counter = this.counters.find(client, now);
    const unread = client.limits.perDay !== undefined && counter.reserved === 0 && counter.dayUsed === 0;
    const settled = () =>
      resultOf(admits(client, counter), client, this.counters.counts(counter, client, now));
    const wait = unread ? this.reservations.read(client.id, this.day, counter) : undefined;
    return wait ? wait.then(settled) : settled();
  }

  /** Gives back what was reserved and not used, so that the next start goes on with the exact count. */
  async onApplicationShutdown(): Promise<void> {
    await this.reservations.close(this.day, this.counters.keys.entries());
  }

  /** Callers that are remembered at the moment. */
  get size(): number {
    return this.counters.size;
  }

  private get day(): number {
    return this.counters.keys.day;
  }

  /** Monotonic, so that a corrected wall clock makes no minute longer or shorter. */
  private now(): number {
    return Math.floor(this.clock.elapsed());
  }
}
