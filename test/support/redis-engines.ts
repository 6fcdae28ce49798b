import { Clock } from '../../src/kernel/clock/clock.js';
import { Config } from '../../src/kernel/config/config.js';
import { Metrics } from '../../src/observability/metrics/metrics.js';
import { DailyUsageWriter } from '../../src/rate-limit/daily-usage/daily-usage.writer.js';
import { UsageRecorder } from '../../src/rate-limit/daily-usage/usage-recorder.js';
import type { Subject } from '../../src/rate-limit/quota-engine.js';
import { RateLimitMetrics } from '../../src/rate-limit/rate-limit.metrics.js';
import { RedisEngine } from '../../src/rate-limit/redis/redis.engine.js';
import { RedisLink } from '../../src/rate-limit/redis/redis-link.js';
import { TestDailyUsage } from './test-daily-usage.js';

interface Settings {
  readonly env?: Record<string, string>;
  readonly clock?: Clock;
  /** Milliseconds that a request waits for Redis. */
  readonly patience?: number;
}

/** Replicas of the quota engine in this process, each with its own connection to Redis. */
export class RedisEngines {
  private engines: RedisEngine[] = [];
  /** Of the engine that was made last. */
  metrics = new Metrics();

  make(url: string, { env = {}, clock = new Clock(), patience }: Settings = {}): RedisEngine {
    this.metrics = new Metrics();
    const config = new Config({ REDIS_URL: url, ...env });
    const usage = new UsageRecorder(clock, new DailyUsageWriter(new TestDailyUsage()));
    const link = new RedisLink(config, patience);
    const engine = new RedisEngine(clock, config, link, usage, new RateLimitMetrics(this.metrics));
    this.engines.push(engine);
    return engine;
  }

  async start(...args: Parameters<RedisEngines['make']>): Promise<RedisEngine> {
    const engine = this.make(...args);
    await engine.onApplicationBootstrap();
    return engine;
  }

  async stop(): Promise<void> {
    await Promise.all(this.engines.map((engine) => engine.onApplicationShutdown()));
    this.engines = [];
  }
}

/** Sends requests at the same time. @returns how many were admitted */
export async function admitted(engine: RedisEngine, subject: Subject, times: number): Promise<number> {
  const decisions = await Promise.all(Array.from({ length: times }, async () => engine.take(subject)));
  return decisions.filter((decision) => decision.admitted).length;
}
