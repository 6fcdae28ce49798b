import type { ClientId } from '../rate-limit-client.js';

/** What one client has used in this process. Whole numbers only: V8 stores small integers inside the object. */
export class Counter {
  minuteUsed = 0;
  /** Days since 1970-01-01. */
  day = -1;
  dayUsed = 0;
  /** Whether `dayUsed` has what other processes have on record. */
  isRead = 0;

  /** @param minuteStart milliseconds of the monotonic clock */
  constructor(public minuteStart: number) {}
}

/**
 * At most `max` counters. A generation that is half of `max` or one period old replaces the one before it, which is
 * dropped as a whole: no clean-up pauses the event loop. Made-up addresses can evict the counts of others, but they cannot
 * fill the memory.
 */
export class ExpiringCounters {
  private young = new Map<ClientId, Counter>();
  private old = new Map<ClientId, Counter>();
  private born = 0;

  /** @param period in milliseconds; a counter that is not used for that long may be dropped */
  constructor(
    private readonly period: number,
    private readonly max: number,
  ) {}

  /** @param now monotonic, in whole milliseconds */
  find(id: ClientId, now: number): Counter {
    if (now - this.born >= this.period || this.young.size >= this.max / 2) this.age(now);
    let counter = this.young.get(id);
    if (!counter) {
      counter = this.old.get(id) ?? new Counter(now);
      this.young.set(id, counter);
    }
    return counter;
  }

  get size(): number {
    return this.young.size + this.old.size;
  }

  private age(now: number): void {
    this.old = this.young;
    this.young = new Map();
    this.born = now;
  }
}
