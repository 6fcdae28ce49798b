import { Clock } from '../../src/kernel/clock/clock.js';
import { Config } from '../../src/kernel/config/config.js';
import { Metrics } from '../../src/observability/metrics/metrics.js';
import { UsageRecorder } from '../../src/rate-limit/daily-usage/usage-recorder.js';
import type { RateLimitClient } from '../../src/rate-limit/plan-throttler.storage.js';
import { RateLimitMetrics } from '../../src/rate-limit/rate-limit.metrics.js';
import { RedisThrottlerStorage } from '../../src/rate-limit/redis/redis-throttler.storage.js';
import { RedisConnection } from '../../src/rate-limit/redis/redis-connection.js';
import { TestDailyUsage } from './test-daily-usage.js';

interface Settings {
  readonly env?: Record<string, string>;
  readonly clock?: Clock;
  /** Milliseconds that a request waits for Redis. */
  readonly timeout?: number;
}

/** Replicas of the quota storage in this process, each with its own connection to Redis. */
export class RedisStorages {
  private storages: RedisThrottlerStorage[] = [];
  /** What all of them have on record. */
  readonly usage = new TestDailyUsage();
  /** Of the storage that was made last. */
  metrics = new Metrics();

  make(url: string, { env = {}, clock = new Clock(), timeout }: Settings = {}): RedisThrottlerStorage {
    this.metrics = new Metrics();
    const config = new Config({ REDIS_URL: url, ...env });
    const usage = new UsageRecorder(clock, this.usage);
    const connection = new RedisConnection(config, timeout);
    const storage = new RedisThrottlerStorage(
      clock,
      config,
      connection,
      usage,
      new RateLimitMetrics(this.metrics),
    );
    this.storages.push(storage);
    return storage;
  }

  async start(...args: Parameters<RedisStorages['make']>): Promise<RedisThrottlerStorage> {
    const storage = this.make(...args);
    await storage.open();
    return storage;
  }

  async stop(): Promise<void> {
    await Promise.all(this.storages.map((storage) => storage.close()));
    this.storages = [];
  }
}

/** Sends requests at the same time. @returns how many were admitted */
export async function admitted(
  storage: RedisThrottlerStorage,
  client: RateLimitClient,
  times: number,
): Promise<number> {
  const results = await Promise.all(Array.from({ length: times }, async () => storage.consume(client)));
  return results.filter((decision) => decision.admitted).length;
}
