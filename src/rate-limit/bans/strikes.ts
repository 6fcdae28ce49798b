import { seconds } from '../../kernel/clock/duration.js';
import { MINUTE } from '../quota-engine.js';

/** Refusals this soon after the first one of a window are forgiven: those requests were on their way already. */
const GRACE = seconds(1);

/** The refusals of one key. Times are monotonic, in milliseconds. */
export class Strikes {
  private windowEnd = -Infinity;
  private firstRefusal = 0;
  /** When the strikes were, oldest first; those before `from` are more than a minute old. */
  private times: number[] = [];
  private from = 0;

  /**
   * Notes a refusal.
   * @param windowEnd when the exhausted window ends
   * @returns the strikes of the last 60 s
   */
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
