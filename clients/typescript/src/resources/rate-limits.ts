import type { ReadOptions, Transport } from '../transport.js';
import type { RateLimit } from '../types.js';

/** Where the API key stands. */
export class RateLimits {
  constructor(private readonly transport: Transport) {}

  /** Plan, windows and ban. Free of charge, also while the key is exhausted or banned. */
  get(options?: ReadOptions): Promise<RateLimit> {
    return this.transport.call('getRateLimit', {}, options);
  }
}
