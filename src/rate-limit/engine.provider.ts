import type { Provider } from '@nestjs/common';
import { Clock } from '../kernel/clock/clock.js';
import { Config } from '../kernel/config/config.js';
import { DailyUsageRepository } from './daily-usage/daily-usage.repository.js';
import { DailyUsageWriter } from './daily-usage/daily-usage.writer.js';
import { UsageRecorder } from './daily-usage/usage-recorder.js';
import { MemoryEngine } from './memory/memory.engine.js';
import { QuotaEngine } from './quota-engine.js';
import { RateLimitMetrics } from './rate-limit.metrics.js';
import { RedisEngine } from './redis/redis.engine.js';

/** Counts in Redis where there is one, otherwise in this process. */
export const engineProvider: Provider = {
  provide: QuotaEngine,
  inject: [Config, Clock, DailyUsageRepository, RateLimitMetrics],
  useFactory: async (
    config: Config,
    clock: Clock,
    usage: DailyUsageRepository,
    metrics: RateLimitMetrics,
  ): Promise<QuotaEngine> => {
    const writer = new DailyUsageWriter(usage);
    if (config.redisUrl === undefined) return new MemoryEngine(clock, writer, config);
    const { RedisLink } = await import('./redis/redis-link.js'); // brings ioredis along
    return new RedisEngine(clock, config, new RedisLink(config), new UsageRecorder(clock, writer), metrics);
  },
};
