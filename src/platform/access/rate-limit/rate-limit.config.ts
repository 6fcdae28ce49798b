import { hours, minutes } from '../../kernel/clock/duration.js';
import type { Variables } from '../../kernel/config/variables.js';

export class RateLimitConfig {
  /** Requests per minute from one address without a valid key. */
  readonly anonymousPerMinute: number;
  /** Maximum number of addresses counted at a time, which limits memory use. */
  readonly maxAnonymousAddresses: number;
  /** Requests of one client at work in this process; further ones wait. 0 for no limit. */
  readonly clientConcurrency: number;
  /** Rejected requests within a minute that ban a key. Half of its per-minute limit, if that is more. */
  readonly banStrikes: number;
  /** Durations of the first ban, the second, and so on, in milliseconds. The last one repeats. */
  readonly banSteps: readonly number[];

  constructor(variables: Variables) {
    this.anonymousPerMinute = variables.wholeNumber('ANONYMOUS_PER_MINUTE', {
      min: 1,
      max: 1_000_000,
      fallback: 30,
    });
    this.maxAnonymousAddresses = variables.wholeNumber('ANONYMOUS_ADDRESSES', {
      min: 100,
      max: 10_000_000,
      fallback: 100_000,
    });
    this.clientConcurrency = variables.wholeNumber('CLIENT_CONCURRENCY', {
      min: 0,
      max: 1_000,
      fallback: 8,
    });
    this.banStrikes = variables.wholeNumber('BAN_STRIKES', { min: 1, max: 1_000_000, fallback: 20 });
    this.banSteps = variables.durations('BAN_SECONDS', [minutes(1), minutes(5), minutes(15), hours(1)]);
  }
}
