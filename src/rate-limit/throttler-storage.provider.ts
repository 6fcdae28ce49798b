import type { Provider } from '@nestjs/common';
import { Clock } from '../kernel/clock/clock.js';
import { Config } from '../kernel/config/config.js';
import { DailyUsageRepository } from './daily-usage/daily-usage.repository.js';
import { UsageRecorder } from './daily-usage/usage-recorder.js';
import { MemoryThrottlerStorage } from './memory/memory-throttler.storage.js';
import { PlanThrottlerStorage } from './plan-throttler.storage.js';
import { RateLimitMetrics } from './rate-limit.metrics.js';
import { RedisThrottlerStorage } from './redis/redis-throttler.storage.js';

/** Redis if it is configured, otherwise memory. */
export const throttlerStorageProvider: Provider = {
  provide: PlanThrottlerStorage,
  inject: [Config, Clock, DailyUsageRepository, RateLimitMetrics],
  useFactory: async (
    config: Config,
    clock: Clock,
    usage: DailyUsageRepository,
    metrics: RateLimitMetrics,
  ): Promise<PlanThrottlerStorage> => {
    const recorder = new UsageRecorder(clock, usage);
    if (config.redisUrl === undefined) return new MemoryThrottlerStorage(clock, recorder, config);
    const { openRedis } = await import('./redis/open-redis.js'); // loads ioredis
    return new RedisThrottlerStorage(clock, config, openRedis(config), recorder, metrics);
  },
};
