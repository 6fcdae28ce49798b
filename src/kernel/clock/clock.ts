import { Injectable } from '@nestjs/common';

/** The only source of time, so that a test can set any date. */
@Injectable()
export class Clock {
  /** Wall time in milliseconds since the Unix epoch. Jumps when the machine's clock is corrected. */
  now(): number {
    return Date.now();
  }

  /** Milliseconds from a monotonic clock, for durations. */
  elapsed(): number {
    return performance.now();
  }
}
