import { seconds } from '../../kernel/clock/duration.js';
import { MINUTE } from '../quota-engine.js';

/** Refusals this soon after the first one of a window are forgiven: those requests were on their way already. */
const GRACE = seconds(1);

/** The refusals of one key. Times are monotonic, in milliseconds. */
export class Strikes {
  private windowEnd = -Infinity;
  private firstRefusal = 0;
  private countedSince = -Infinity;
  private count = 0;

  /**
   * Notes a refusal.
   * @param windowEnd when the exhausted window ends
   * @returns the strikes within the minute that began with the first of them
   */
  add(now: number, windowEnd: number): number {
    if (now >= this.windowEnd) {
      this.windowEnd = windowEnd;
      this.firstRefusal = now;
    }
    if (now - this.firstRefusal < GRACE) return this.count;
    if (now - this.countedSince >= MINUTE) {
      this.countedSince = now;
      this.count = 0;
    }
    return ++this.count;
  }
}
