import { Clock } from '../../src/platform/kernel/clock/clock.js';
import type { Int64 } from '../../src/platform/kernel/json/int64.js';
import { Config } from '../../src/platform/kernel/config/config.js';
import { Metrics } from '../../src/platform/observe/metrics/metrics.js';
import { UsageRecorder } from '../../src/platform/access/rate-limit/daily-usage/usage-recorder.js';
import { RateLimitConfig } from '../../src/platform/access/rate-limit/rate-limit.config.js';
import { RateLimitMetrics } from '../../src/platform/access/rate-limit/rate-limit.metrics.js';
import { RedisConfig } from '../../src/platform/access/rate-limit/redis/redis.config.js';
import { RedisThrottlerStorage } from '../../src/platform/access/rate-limit/redis/redis-throttler.storage.js';
import { openRedis } from '../../src/platform/access/rate-limit/redis/open-redis.js';
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
  /** What they have recorded, in total. */
  usage = new TestDailyUsage();
  /** How many days the clock of Redis is ahead of the simulated one. */
  readonly days = { ahead: 0 };
  /** Metrics of the most recently created storage. */
  metrics = new Metrics();

  make(url: string, { env = {}, clock = new Clock(), timeout }: Settings = {}): RedisThrottlerStorage {
    this.metrics = new Metrics();
    const config = new Config({ REDIS_URL: url, ...env });
    const usage = new ShiftedRecorder(clock, this.usage, this.days);
    const redis = openRedis(config.read(RedisConfig));
    const storage = new RedisThrottlerStorage(
      clock,
      config.read(RateLimitConfig),
      redis,
      usage,
      new RateLimitMetrics(this.metrics),
      timeout,
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

/** Translates days to simulated ones, because the clock of Redis cannot be moved. */
class ShiftedRecorder extends UsageRecorder {
  constructor(
    clock: Clock,
    usage: TestDailyUsage,
    private readonly shift: { readonly ahead: number },
  ) {
    super(clock, usage);
  }

  override add(keyId: string | Int64, day: number): void {
    super.add(keyId, day - this.shift.ahead);
  }

  override own(keyId: string | Int64, day: number): number {
    return super.own(keyId, day - this.shift.ahead);
  }

  override others(keyId: string | Int64, day: number): Promise<number | undefined> | undefined {
    return super.others(keyId, day - this.shift.ahead);
  }
}
