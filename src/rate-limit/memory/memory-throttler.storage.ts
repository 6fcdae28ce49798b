import { Injectable } from '@nestjs/common';
import type { Clock } from '../../kernel/clock/clock.js';
import type { UsageRecorder } from '../daily-usage/usage-recorder.js';
import type { RateLimitConfig } from '../rate-limit.config.js';
import { PlanThrottlerStorage } from '../plan-throttler.storage.js';
import type { RateLimitClient, RateLimitResult } from '../rate-limit.result.js';
import { type Counter, WindowCounters } from './window-counters.js';

/**
 * Counts in the memory of this process. Only the first decision for a key each day waits, for the recorded count in
 * PostgreSQL.
 */
@Injectable()
export class MemoryThrottlerStorage extends PlanThrottlerStorage {
  private readonly counters: WindowCounters;

  constructor(
    clock: Clock,
    private readonly usage: UsageRecorder,
    { maxAnonymousAddresses }: Pick<RateLimitConfig, 'maxAnonymousAddresses'>,
  ) {
    super();
    this.counters = new WindowCounters(clock, maxAnonymousAddresses);
  }

  consume(client: RateLimitClient): RateLimitResult | Promise<RateLimitResult> {
    return this.decide(client, true);
  }

  peek(client: RateLimitClient): RateLimitResult | Promise<RateLimitResult> {
    return this.decide(client, false);
  }

  close(): Promise<void> {
    return this.usage.close();
  }

  /** Number of counters. */
  get size(): number {
    return this.counters.size;
  }

  private decide(client: RateLimitClient, charges: boolean): RateLimitResult | Promise<RateLimitResult> {
    const isKey = client.limits.perDay !== undefined;
    const counter = this.counters.find(client);
    if (isKey && !counter.isRead) {
      const reading = this.read(client, counter);
      if (reading) return reading.then(() => this.decide(client, charges));
    }
    const result = this.counters.decide(client, charges, counter);
    if (isKey && charges && result.admitted) this.usage.add(client.id, counter.day);
    return result;
  }

  /** While PostgreSQL is unavailable, only this process's own count is used. */
  private read({ id }: RateLimitClient, counter: Counter): Promise<void> | undefined {
    const { day } = counter;
    counter.dayUsed = this.usage.own(id, day);
    return this.usage.others(id, day)?.then((others) => {
      if (others === undefined || counter.day !== day) return;
      counter.dayUsed = others + this.usage.own(id, day);
      counter.isRead = 1;
    });
  }
}
