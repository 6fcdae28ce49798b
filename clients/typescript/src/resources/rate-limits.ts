import type { ReadOptions, Result, Transport } from '../transport.js';
import type { RateLimit } from '../types.js';

/** The quota of the API key. */
export class RateLimits<Id = bigint> {
  constructor(private readonly transport: Transport<Id>) {}

  /** Plan, windows and ban. Free of charge, also while the key is exhausted or banned. */
  get(options?: ReadOptions): Promise<Result<RateLimit<Id>>> {
    return this.transport.call('getRateLimit', {}, options);
  }
}
