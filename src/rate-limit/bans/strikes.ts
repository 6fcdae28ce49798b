import { seconds } from '../../kernel/clock/duration.js';
import { MINUTE } from '../rate-limit.result.js';

/** Refusals this soon after the first one of a window do not count: those requests were already in flight. */
const GRACE = seconds(1);

/** The refusals of one key. Times are monotonic, in milliseconds. */
export class Strikes {
  private windowEnd = -Infinity;
  private firstRefusal = 0;
  /** Times of strikes, oldest first. Those before index `from` are more than a minute old. */
  private times: number[] = [];
  private from = 0;

  /** Adds a refusal. @param windowEnd end of the exhausted window @returns the number of strikes in the last 60 s */
  add(now: number, windowEnd: number): number {
    if (now >= this.windowEnd) {
      this.windowEnd = windowEnd;
      this.firstRefusal = now;
    }
    if (now - this.firstRefusal >= GRACE) this.times.push(now);
    this.forgetBefore(now - MINUTE);
    return this.times.length - this.from;
  }

  private forgetBefore(time: number): void {
    while ((this.times[this.from] ?? Infinity) <= time) this.from += 1;
    if (this.from * 2 <= this.times.length) return;
    this.times = this.times.slice(this.from);
    this.from = 0;
  }
}
