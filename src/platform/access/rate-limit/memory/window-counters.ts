import type { Clock } from '../../../kernel/clock/clock.js';
import { days } from '../../../kernel/clock/duration.js';
import { type QuotaSubject, type QuotaResult, toQuotaResult, MINUTE } from '../quota.js';

/** Milliseconds. A larger difference between the two clocks is treated as a correction, not as drift. */
const CORRECTED = 5;
const DAY = days(1);
const MAX_KEYS = 4_000_000;
/** The longest window of a route. */
const MAX_PERIOD = days(30);

/**
 * One client's usage in this process. All fields are integers, because V8 stores small integers inside the
 * object.
 */
export class Counter {
  used = 0;
  /** Days since 1970-01-01. */
  day = -1;
  dayUsed = 0;
  /** 1 if `dayUsed` includes what other processes have recorded, otherwise 0. */
  isRead = 0;

  /** @param start milliseconds of the monotonic clock */
  constructor(public start: number) {}
}

/**
 * Holds at most `max` counters. When the current generation reaches half of `max` or the age of one period,
 * it replaces the previous one, which is dropped as a whole; no clean-up pauses the event loop. Made-up
 * addresses can evict other clients' counts but cannot exhaust memory.
 */
class ExpiringCounters {
  private young = new Map<string, Counter>();
  private old = new Map<string, Counter>();
  private born = 0;

  /** @param period in milliseconds; a counter unused for that long may be dropped */
  constructor(
    private readonly period: number,
    private readonly max: number,
  ) {}

  /** @param now monotonic, in whole milliseconds */
  find(key: string, now: number): Counter {
    if (now - this.born >= this.period || this.young.size >= this.max / 2) this.age(now);
    let counter = this.young.get(key);
    if (!counter) {
      counter = this.old.get(key) ?? new Counter(now);
      this.young.set(key, counter);
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

/** The counters of this process, for keys, addresses and route throttlers. */
export class WindowCounters {
  /** Unix milliseconds when the monotonic clock was 0. */
  private wallOffset = -Infinity;
  private readonly counters: Readonly<Record<QuotaSubject['kind'], ExpiringCounters>>;

  /** @param max number of addresses, and of clients of route throttlers */
  constructor(
    private readonly clock: Clock,
    max: number,
  ) {
    this.counters = {
      key: new ExpiringCounters(DAY, MAX_KEYS),
      address: new ExpiringCounters(MINUTE, max),
      route: new ExpiringCounters(MAX_PERIOD, max),
    };
  }

  /**
   * Returns a client's counter, reset if its minute or day has ended.
   * @param now monotonic, so corrections of the wall clock do not change the length of a minute
   */
  find(subject: QuotaSubject, now = Math.floor(this.clock.elapsed())): Counter {
    const counter = this.counters[subject.kind].find(subject.id, now);
    if (counter.used === 0 || now - counter.start >= subject.ttl) {
      counter.start = now;
      counter.used = 0;
    }
    const day = Math.floor(this.clock.now() / DAY);
    if (counter.day !== day) {
      counter.day = day;
      counter.dayUsed = counter.isRead = 0;
    }
    return counter;
  }

  /** Decides about a request based on this process's counts. */
  decide(subject: QuotaSubject, charges: boolean, counter = this.find(subject)): QuotaResult {
    const now = Math.floor(this.clock.elapsed());
    const { limit, perDay = Infinity } = subject;
    const admitted = counter.used < limit && counter.dayUsed < perDay;
    if (admitted && charges) {
      counter.used += 1;
      counter.dayUsed += 1;
    }
    const end = counter.start + subject.ttl;
    const dayEnd = (counter.day + 1) * DAY;
    return toQuotaResult(admitted, subject, {
      used: counter.used,
      left: end - now,
      end: this.wall(end),
      dayUsed: counter.dayUsed,
      dayLeft: dayEnd - this.clock.now(),
      dayEnd,
    });
  }

  get size(): number {
    const { key, address, route } = this.counters;
    return key.size + address.size + route.size;
  }

  /**
   * Converts a monotonic time to Unix milliseconds. The result is constant for a window unless the wall clock
   * is corrected.
   */
  private wall(instant: number): number {
    const offset = this.clock.now() - this.clock.elapsed();
    if (Math.abs(offset - this.wallOffset) > CORRECTED) this.wallOffset = offset;
    return instant + this.wallOffset;
  }
}
