import { Injectable } from '@nestjs/common';
import type { Clock } from '../../../kernel/clock/clock.js';
import type { UsageRecorder } from '../daily-usage/usage-recorder.js';
import type { RateLimitConfig } from '../rate-limit.config.js';
import { type MaybeAsync, PlanThrottlerStorage } from '../plan-throttler.storage.js';
import type { QuotaSubject, QuotaResult } from '../quota.js';
import { type Counter, WindowCounters } from './window-counters.js';

/**
 * Counts in the memory of this process. Only the first decision for a key each day waits, for the recorded
 * count in PostgreSQL.
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

  close(): Promise<void> {
    return this.usage.close();
  }

  /** Number of counters. */
  get size(): number {
    return this.counters.size;
  }

  protected decide(subject: QuotaSubject, charges: boolean): MaybeAsync<QuotaResult> {
    const isKey = subject.kind === 'key';
    const counter = this.counters.find(subject);
    if (isKey && !counter.isRead) {
      const reading = this.read(subject, counter);
      if (reading) return reading.then(() => this.decide(subject, charges));
    }
    const result = this.counters.decide(subject, charges, counter);
    if (isKey && charges && result.admitted) this.usage.add(subject.id, counter.day);
    return result;
  }

  /** While PostgreSQL is unavailable, only this process's own count is used. */
  private read({ id }: QuotaSubject, counter: Counter): Promise<void> | undefined {
    const { day } = counter;
    counter.dayUsed = this.usage.own(id, day);
    return this.usage.others(id, day)?.then((others) => {
      if (others === undefined || counter.day !== day) return;
      counter.dayUsed = others + this.usage.own(id, day);
      counter.isRead = 1;
    });
  }
}
