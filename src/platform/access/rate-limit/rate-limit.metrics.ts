import { Injectable } from '@nestjs/common';
import { Counter, Gauge, type Registry } from 'prom-client';
import { service } from '../../kernel/config/service.js';
import { Metrics } from '../../observe/metrics/metrics.js';

export type RateLimitOutcome = 'admitted' | 'minute_exhausted' | 'day_exhausted' | 'banned';

/**
 * Metrics of quotas, bans and Redis. The number of series does not grow with the number of keys or addresses.
 */
@Injectable()
export class RateLimitMetrics {
  private readonly registry: Registry;
  private readonly results: Counter<'plan' | 'outcome'>;
  private readonly bans: Counter;
  private readonly waits: Counter<'outcome'>;
  private redisMetrics?: { up: Gauge; lost: Counter };

  constructor({ registry }: Metrics) {
    this.registry = registry;
    this.results = new Counter({
      name: `${service().prefix}_quota_decisions_total`,
      help: 'Requests by plan (anonymous without a valid key) and what the quota said.',
      labelNames: ['plan', 'outcome'],
      registers: [registry],
    });
    this.waits = new Counter({
      name: `${service().prefix}_requests_waited_total`,
      help: 'Requests that waited because their client had many others at work, and how the wait ended.',
      labelNames: ['outcome'],
      registers: [registry],
    });
    this.bans = new Counter({
      name: `${service().prefix}_bans_total`,
      help: 'Keys banned by this process for sending on after a 429.',
      registers: [registry],
    });
  }

  decided(plan: string, outcome: RateLimitOutcome): void {
    this.results.inc({ plan, outcome });
  }

  /** `refused`: not admitted in time. `closed`: the client has gone. */
  waited(outcome: 'admitted' | 'refused' | 'closed'): void {
    this.waits.inc({ outcome });
  }

  banned(): void {
    this.bans.inc();
  }

  redis(state: 'up' | 'lost'): void {
    this.redisMetrics ??= this.makeRedisMetrics();
    this.redisMetrics.up.set(state === 'up' ? 1 : 0);
    if (state === 'lost') this.redisMetrics.lost.inc();
  }

  /** Registered only with Redis, because a 0 without Redis would raise an alert. */
  private makeRedisMetrics() {
    const up = new Gauge({
      name: `${service().prefix}_redis_up`,
      help: '1 while quotas are counted in Redis, 0 while this process counts its share alone.',
      registers: [this.registry],
    });
    const lost = new Counter({
      name: `${service().prefix}_redis_lost_total`,
      help: 'Times that Redis did not respond and this process counted alone.',
      registers: [this.registry],
    });
    return { up, lost };
  }
}
