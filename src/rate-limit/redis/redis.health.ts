import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HealthIndicatorService } from '@nestjs/terminus';
import { Readiness } from '../../observability/health/readiness.js';
import { QuotaEngine } from '../quota-engine.js';
import { RedisEngine } from './redis.engine.js';

/** A part of `/health/ready` where quotas are counted in Redis. */
@Injectable()
export class RedisHealth implements OnModuleInit {
  constructor(
    private readonly engine: QuotaEngine,
    private readonly indicators: HealthIndicatorService,
    private readonly readiness: Readiness,
  ) {}

  onModuleInit(): void {
    const { engine } = this;
    if (engine instanceof RedisEngine) this.readiness.add(() => this.check(engine));
  }

  /** A lost Redis is no reason to send requests elsewhere: every replica has lost it, and each counts its share. */
  private check({ degraded }: RedisEngine) {
    const redis = this.indicators.check('redis');
    return degraded ? redis.degraded('Away: this replica counts its share alone.') : redis.up();
  }
}
