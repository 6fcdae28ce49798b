import { Injectable } from '@nestjs/common';

/** The only source of time, so that a test can stand on either side of any date. */
@Injectable()
export class Clock {
  /** Wall time in milliseconds since the Unix epoch. May step when the machine's clock is corrected. */
  now(): number {
    return Date.now();
  }

  /** Milliseconds since an arbitrary start that never step back: for durations. */
  elapsed(): number {
    return performance.now();
  }
}
