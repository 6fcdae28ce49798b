import {
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type Provider,
} from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { ThrottlerModule } from '@nestjs/throttler';
import { HealthModule } from '../../observe/health/health.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { HttpModule } from '../../http/core/http.module.js';
import { settingsProvider } from '../../kernel/config/config.js';
import { Bans } from './bans/bans.js';
import { ClientSlots } from './client-slots.js';
import { DailyUsageRepository } from './daily-usage/daily-usage.repository.js';
import { UsageRecorder } from './daily-usage/usage-recorder.js';
import { MemoryThrottlerStorage } from './memory/memory-throttler.storage.js';
import { RedisThrottlerStorage } from './redis/redis-throttler.storage.js';
import { Clock } from '../../kernel/clock/clock.js';
import { PlanThrottlerGuard, planThrottler } from './plan-throttler.guard.js';
import { RateLimitConfig } from './rate-limit.config.js';
import { type MaybeAsync, PlanThrottlerStorage } from './plan-throttler.storage.js';
import { RateLimitMetrics } from './rate-limit.metrics.js';
import { RedisConfig } from './redis/redis.config.js';
import { RedisHealth } from './redis/redis.health.js';

/** Redis if it is configured, otherwise memory. */
const throttlerStorageProvider: Provider = {
  provide: PlanThrottlerStorage,
  inject: [RateLimitConfig, RedisConfig, Clock, DailyUsageRepository, RateLimitMetrics],
  useFactory: async (
    config: RateLimitConfig,
    redis: RedisConfig,
    clock: Clock,
    usage: DailyUsageRepository,
    metrics: RateLimitMetrics,
  ): Promise<PlanThrottlerStorage> => {
    const recorder = new UsageRecorder(clock, usage);
    if (redis.url === undefined) return new MemoryThrottlerStorage(clock, recorder, config);
    const { openRedis } = await import('./redis/open-redis.js'); // loads ioredis
    return new RedisThrottlerStorage(clock, config, openRedis(redis), recorder, metrics);
  },
};

@Module({
  imports: [AuthModule],
  providers: [
    settingsProvider(RateLimitConfig),
    settingsProvider(RedisConfig),
    Bans,
    ClientSlots,
    DailyUsageRepository,
    throttlerStorageProvider,
    RateLimitMetrics,
  ],
  exports: [RateLimitConfig, Bans, ClientSlots, DailyUsageRepository, PlanThrottlerStorage, RateLimitMetrics],
})
class ThrottlerStorageModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(private readonly storage: PlanThrottlerStorage) {}

  // The storage itself has no lifecycle hooks: `ThrottlerModule` provides it too, so Nest would call each
  // hook twice.

  onApplicationBootstrap(): MaybeAsync<void> {
    return this.storage.open();
  }

  onApplicationShutdown(): Promise<void> {
    return this.storage.close();
  }
}

@Module({
  imports: [
    DiscoveryModule,
    HealthModule,
    HttpModule,
    ThrottlerStorageModule,
    ThrottlerModule.forRootAsync({
      imports: [ThrottlerStorageModule],
      inject: [PlanThrottlerStorage, RateLimitConfig],
      useFactory: planThrottler,
    }),
  ],
  providers: [PlanThrottlerGuard, RedisHealth],
  exports: [PlanThrottlerGuard, ThrottlerStorageModule, ThrottlerModule],
})
export class RateLimitModule {}
