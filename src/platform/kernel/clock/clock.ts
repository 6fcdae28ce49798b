// clock/ is the time for every rule, and how long a request waits for what, and runs what is periodic.

import { Injectable } from '@nestjs/common';

/** The time for every rule of the service, so that tests can set any date. */
@Injectable()
export class Clock {
  /** Wall-clock time in milliseconds since the Unix epoch. It jumps when the machine's clock is corrected. */
  now(): number {
    return Date.now();
  }

  /** Milliseconds from a monotonic clock, for durations. */
  elapsed(): number {
    return performance.now();
  }
}
