import type { Provider } from '@nestjs/common';
import { Clock } from '../kernel/clock/clock.js';
import { Config } from '../kernel/config/config.js';
import { DayLedger } from './day-ledger.js';
import { MemoryEngine } from './memory/memory.engine.js';
import { QuotaEngine } from './quota-engine.js';
import { RateLimitMetrics } from './rate-limit.metrics.js';
import { RedisEngine } from './redis/redis.engine.js';
import { UsageRecorder } from './redis/usage-recorder.js';

/** Counts in Redis where there is one, otherwise in this process. */
export const engineProvider: Provider = {
  provide: QuotaEngine,
  inject: [Config, Clock, DayLedger, RateLimitMetrics],
  useFactory: async (
    config: Config,
    clock: Clock,
    ledger: DayLedger,
    metrics: RateLimitMetrics,
  ): Promise<QuotaEngine> => {
    if (config.redisUrl === undefined) return new MemoryEngine(clock, ledger, config);
    const { RedisLink } = await import('./redis/redis-link.js'); // brings ioredis along
    return new RedisEngine(clock, config, new RedisLink(config), new UsageRecorder(clock, ledger), metrics);
  },
};
