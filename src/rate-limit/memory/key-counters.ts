import type { Clock } from '../../kernel/clock/clock.js';
import { days } from '../../kernel/clock/duration.js';
import { MINUTE, type ClientId } from '../plan-throttler.storage.js';
import { WindowCounter } from '../window-counts.js';
import { ShardedMap } from './sharded-map.js';

const DAY = days(1);

/** The counters of another UTC day. */
interface RetiredDay {
  readonly day: number;
  readonly counters: ShardedMap<WindowCounter>;
  /** Monotonic, in milliseconds. */
  readonly since: number;
}

/**
 * The counters of one UTC day. At midnight they are retired, kept for one minute for the windows that still run, and
 * dropped as a whole: no clean-up pauses the event loop. After the wall clock is set back, the counts of that day come
 * from the retired counters or from PostgreSQL.
 */
export class KeyCounters {
  private counters = new ShardedMap<WindowCounter>();
  private retired: RetiredDay[] = [];
  /** Days since 1970-01-01. */
  day = NaN;

  constructor(private readonly clock: Clock) {}

  /** @param now monotonic, in whole milliseconds */
  find(id: ClientId, now: number): WindowCounter {
    const day = Math.floor(this.clock.now() / DAY);
    if (day !== this.day) this.turn(day, now);
    let counter = this.counters.get(id);
    if (!counter) this.counters.add(id, (counter = new WindowCounter(now, 0, 0, 0)));
    if (this.retired.length > 0) this.carryMinute(id, counter, now);
    return counter;
  }

  /** When the UTC day ends: Unix milliseconds. */
  get dayEnd(): number {
    return (this.day + 1) * DAY;
  }

  get size(): number {
    return this.retired.reduce((sum, { counters }) => sum + counters.size, this.counters.size);
  }

  entries(): Generator<[ClientId, WindowCounter]> {
    return this.counters.entries();
  }

  /** A minute does not end at midnight. */
  private carryMinute(id: ClientId, counter: WindowCounter, now: number): void {
    this.retired = this.retired.filter(({ since }) => now - since < MINUTE);
    for (const { counters } of this.retired) {
      const before = counters.get(id);
      if (!before || now - before.minuteStart >= MINUTE) continue;
      if (now - counter.minuteStart < MINUTE && counter.minuteUsed >= before.minuteUsed) continue;
      counter.minuteStart = before.minuteStart;
      counter.minuteUsed = before.minuteUsed;
    }
  }

  private turn(day: number, now: number): void {
    const before = this.retired.find((retired) => retired.day === day);
    this.retired = this.retired.filter((retired) => retired !== before);
    this.retired.push({ day: this.day, counters: this.counters, since: now });
    this.counters = before?.counters ?? new ShardedMap();
    this.day = day;
  }
}
