import { seconds } from '../../../kernel/clock/duration.js';
import { MINUTE } from '../quota.js';

/** Refusals this soon after the first one of a window do not count: those requests were already in flight. */
const GRACE = seconds(1);

/** The refusals of one key. Times are monotonic, in milliseconds. */
export class Strikes {
  private windowEnd = -Infinity;
  private firstRefusal = 0;
  /** Times of strikes, oldest first. */
  private readonly times: number[] = [];

  /**
   * Adds a refusal.
   * @param windowEnd end of the exhausted window
   * @returns the number of strikes in the last 60 s
   */
  add(now: number, windowEnd: number): number {
    if (now >= this.windowEnd) {
      this.windowEnd = windowEnd;
      this.firstRefusal = now;
    }
    if (now - this.firstRefusal >= GRACE) this.times.push(now);
    while ((this.times[0] ?? Infinity) <= now - MINUTE) this.times.shift();
    return this.times.length;
  }
}
