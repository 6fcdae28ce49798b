import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HealthIndicatorService } from '@nestjs/terminus';
import { Readiness } from '../../../observe/health/readiness.js';
import { PlanThrottlerStorage } from '../plan-throttler.storage.js';
import { RedisThrottlerStorage } from './redis-throttler.storage.js';

/** A part of `/health/ready` if quotas are counted in Redis. */
@Injectable()
export class RedisHealth implements OnModuleInit {
  constructor(
    private readonly storage: PlanThrottlerStorage,
    private readonly indicators: HealthIndicatorService,
    private readonly readiness: Readiness,
  ) {}

  onModuleInit(): void {
    const { storage } = this;
    if (storage instanceof RedisThrottlerStorage) this.readiness.add(() => this.check(storage));
  }

  /** Degraded rather than down: all replicas may have lost Redis, and each still counts its share. */
  private check({ degraded, lostNodes }: RedisThrottlerStorage) {
    const redis = this.indicators.check('redis');
    if (!degraded) return redis.up();
    const what = lostNodes.length > 0 ? `${lostNodes.join(', ')} unavailable` : 'Unavailable';
    const whom = lostNodes.length > 0 ? ' of the clients there' : '';
    return redis.degraded(`${what}: this replica counts its share${whom} alone.`);
  }
}
