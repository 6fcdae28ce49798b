import { Global, Module, type Provider } from '@nestjs/common';
import { ThrottlerModule, type ThrottlerModuleOptions } from '@nestjs/throttler';
import { DataSource } from 'typeorm';
import { minutes } from '../kernel/clock/duration.js';
import { BanRecorder } from './bans/ban-recorder.js';
import { Bans } from './bans/bans.js';
import { HealthModule } from '../observability/health/health.module.js';
import { DailyUsageRepository } from './daily-usage/daily-usage.repository.js';
import { DocumentBudget } from './document-budget.guard.js';
import { engineProvider } from './engine.provider.js';
import { Quota } from './quota.js';
import { QuotaEngine } from './quota-engine.js';
import { QuotaThrottlerStorage } from './quota-throttler.storage.js';
import { RateLimitController } from './rate-limit.controller.js';
import { RateLimitMetrics } from './rate-limit.metrics.js';
import { RateLimitResponder } from './rate-limit.responder.js';
import { RedisHealth } from './redis/redis.health.js';

/** Routes have no limit of their own unless `@Throttle({ default: ... })` gives them one. */
const throttlerOptions = (engine: QuotaEngine): ThrottlerModuleOptions => ({
  throttlers: [{ name: 'default', limit: Number.MAX_SAFE_INTEGER, ttl: minutes(1) }],
  storage: new QuotaThrottlerStorage(engine),
});

/** The command line makes one without Nest. */
const dailyUsageProvider: Provider = {
  provide: DailyUsageRepository,
  inject: [DataSource],
  useFactory: (dataSource: DataSource) => new DailyUsageRepository(dataSource),
};

@Module({
  providers: [BanRecorder, dailyUsageProvider, engineProvider, RateLimitMetrics],
  exports: [BanRecorder, DailyUsageRepository, QuotaEngine, RateLimitMetrics],
})
class QuotaEngineModule {}

@Global()
@Module({
  imports: [
    HealthModule,
    QuotaEngineModule,
    ThrottlerModule.forRootAsync({
      imports: [QuotaEngineModule],
      inject: [QuotaEngine],
      useFactory: throttlerOptions,
    }),
  ],
  controllers: [RateLimitController],
  providers: [Bans, DocumentBudget, Quota, RateLimitResponder, RedisHealth],
  exports: [DocumentBudget, Quota, RateLimitResponder, QuotaEngineModule, ThrottlerModule],
})
export class RateLimitModule {}
