import { Injectable } from '@nestjs/common';
import type { Clock } from '../../kernel/clock/clock.js';
import type { Config } from '../../kernel/config/config.js';
import type { UsageRecorder } from '../daily-usage/usage-recorder.js';
import { PlanThrottlerStorage, type RateLimitClient } from '../plan-throttler.storage.js';
import type { RateLimitResult } from '../rate-limit.result.js';
import { admits, resultOf } from '../window-counts.js';
import type { Counter } from './expiring-counters.js';
import { WindowCounters } from './window-counters.js';

/**
 * Counts in the memory of this process. A decision waits only for the first one of a key on a day, whose count so far is
 * in PostgreSQL.
 */
@Injectable()
export class MemoryThrottlerStorage extends PlanThrottlerStorage {
  private readonly counters: WindowCounters;

  constructor(
    clock: Clock,
    private readonly usage: UsageRecorder,
    { maxAnonymousAddresses }: Pick<Config, 'maxAnonymousAddresses'>,
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
    const now = this.counters.now();
    const counter = this.counters.find(client, now);
    const isKey = client.limits.perDay !== undefined;
    if (isKey && !counter.isRead) {
      const reading = this.read(client, counter);
      if (reading) return reading.then(() => this.decide(client, charges));
    }
    const admitted = admits(client, counter);
    if (admitted && charges) {
      counter.minuteUsed += 1;
      counter.dayUsed += 1;
      if (isKey) this.usage.add(client.id, counter.day);
    }
    return resultOf(admitted, client, this.counters.counts(counter, client, now));
  }

  /** While PostgreSQL is unavailable, what this process itself has counted has to do. */
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
