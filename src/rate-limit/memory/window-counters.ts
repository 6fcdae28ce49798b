import type { Clock } from '../../kernel/clock/clock.js';
import type { WindowCounts } from '../window-counts.js';
import { MINUTE, type RateLimitClient } from '../plan-throttler.storage.js';
import type { WindowCounter } from '../window-counts.js';
import { KeyCounters } from './key-counters.js';
import { ExpiringCounters } from './expiring-counters.js';

/** Milliseconds. The two clocks end theirs at different moments, and drift apart by less than this in a minute. */
const CORRECTED = 5;

/** Every counter of this process: those of keys, those of addresses, and those of routes with a limit of their own. */
export class WindowCounters {
  /** What the wall clock showed when the monotonic one showed 0. */
  private wallOffset = -Infinity;
  readonly keys: KeyCounters;
  private readonly strangers: ExpiringCounters;
  private readonly routes = new Map<number, ExpiringCounters>();

  /** @param most addresses, and callers of one route, that are remembered at a time */
  constructor(
    private readonly clock: Clock,
    private readonly most: number,
  ) {
    this.keys = new KeyCounters(clock);
    this.strangers = new ExpiringCounters(MINUTE, most);
  }

  /** The client's counter, with a fresh minute where the last one is over. */
  find(client: RateLimitClient, now: number): WindowCounter {
    const counter = this.table(client).find(client.id, now);
    if (counter.minuteUsed === 0 || now - counter.minuteStart >= (client.period ?? MINUTE)) {
      counter.minuteStart = now;
      counter.minuteUsed = 0;
    }
    return counter;
  }

  /** What an counter has used. @param now monotonic, in the same milliseconds as the counter's minute */
  counts(
    { minuteStart, minuteUsed, dayUsed }: WindowCounter,
    { period = MINUTE }: RateLimitClient,
    now: number,
  ): WindowCounts {
    const end = minuteStart + period;
    const { dayEnd } = this.keys;
    return {
      minuteUsed,
      minuteLeft: end - now,
      minuteEnd: this.wall(end),
      dayUsed,
      dayLeft: dayEnd - this.clock.now(),
      dayEnd,
    };
  }

  /** Unix time of a monotonic one. Only a corrected wall clock changes it: a window has one end. */
  private wall(instant: number): number {
    const offset = this.clock.now() - this.clock.elapsed();
    if (Math.abs(offset - this.wallOffset) > CORRECTED) this.wallOffset = offset;
    return instant + this.wallOffset;
  }

  get size(): number {
    const routes = [...this.routes.values()].reduce((sum, { size }) => sum + size, 0);
    return this.keys.size + this.strangers.size + routes;
  }

  private table({ limits, period }: RateLimitClient): KeyCounters | ExpiringCounters {
    if (limits.perDay !== undefined) return this.keys;
    if (period === undefined) return this.strangers;
    const upTo = 2 ** Math.ceil(Math.log2(period)); // few tables, however many lengths a `ttl` function returns
    let routes = this.routes.get(upTo);
    if (!routes) this.routes.set(upTo, (routes = new ExpiringCounters(upTo, this.most)));
    return routes;
  }
}
