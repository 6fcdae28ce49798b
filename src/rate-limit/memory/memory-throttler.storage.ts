import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Config } from '../../kernel/config/config.js';
import { admits, resultOf } from '../window-counts.js';
import type { RateLimitResult } from '../rate-limit.result.js';
import { PlanThrottlerStorage, type RateLimitClient } from '../plan-throttler.storage.js';
import { WindowCounters } from './window-counters.js';
import { DailyReservations } from '../daily-usage/daily-reservations.js';
import type { DailyUsageWriter } from '../daily-usage/daily-usage.writer.js';

/**
 * Counts in the memory of this process. A decision waits only for the first one of a key, whose day so far is in
 * PostgreSQL, and for a reservation that it overtakes.
 */
@Injectable()
export class MemoryThrottlerStorage extends PlanThrottlerStorage {
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

  /** Gives back unused reservations: the next start continues with the exact count. */
  async close(): Promise<void> {
    await this.reservations.close(this.day, this.counters.keys.entries());
  }

  /** Number of counters. */
  get size(): number {
    return this.counters.size;
  }

  private get day(): number {
    return this.counters.keys.day;
  }

  /** Monotonic: a correction of the wall clock does not change the length of a minute. */
  private now(): number {
    return Math.floor(this.clock.elapsed());
  }
}
