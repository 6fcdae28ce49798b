import { Injectable } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import { QuotaEngine } from './quota-engine.js';
import { wholeSeconds } from './rate-limit.headers.js';

type ThrottlerStorageRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/** The quota engine as `@nestjs/throttler` wants it, so that `@Throttle()` on a route counts where the plans do. */
@Injectable()
export class QuotaThrottlerStorage implements ThrottlerStorage {
  constructor(private readonly engine: QuotaEngine) {}

  /** @param ttl length of the window in milliseconds. A block that outlasts the window is not supported. */
  async increment(key: string, ttl: number, limit: number): Promise<ThrottlerStorageRecord> {
    const { admitted, windows } = await this.engine.take({
      id: key,
      limits: { perMinute: limit },
      period: ttl,
    });
    const { remaining = 0, resetIn = 0 } = windows[0] ?? {};
    const seconds = wholeSeconds(resetIn);
    return {
      totalHits: admitted ? limit - remaining : limit + 1,
      timeToExpire: seconds,
      isBlocked: !admitted,
      timeToBlockExpire: admitted ? 0 : seconds,
    };
  }
}
