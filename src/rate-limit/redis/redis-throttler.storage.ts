import { Logger } from '@nestjs/common';
import type { Clock } from '../../kernel/clock/clock.js';
import { seconds } from '../../kernel/clock/duration.js';
import type { Config } from '../../kernel/config/config.js';
import { resultOf } from '../window-counts.js';
import type { UsageRecorder } from '../daily-usage/usage-recorder.js';
import type { RateLimitResult } from '../rate-limit.result.js';
import { PlanThrottlerStorage, type RateLimitClient } from '../plan-throttler.storage.js';
import type { RateLimitMetrics } from '../rate-limit.metrics.js';
import { FallbackLimiter } from './fallback-limiter.js';
import { Membership } from './membership.js';
import type { Charge } from './redis-commands.js';
import type { RedisClient } from './redis-client.js';
import { ResultCache } from './result-cache.js';
import { SharedLimiter } from './shared-limiter.js';

const HEARTBEAT = seconds(0.5);

/**
 * Counts in Redis, exact for any number of replicas: one command for an admitted request, none for a client known
 * to be exhausted. When Redis does not reply in time, this replica counts its share by itself until it is back.
 */
export class RedisThrottlerStorage extends PlanThrottlerStorage {
  private readonly logger = new Logger(RedisThrottlerStorage.name);
  private readonly cache: ResultCache;
  private readonly membership: Membership;
  private readonly shared: SharedLimiter;
  private readonly fallback: FallbackLimiter;
  private heartbeat?: NodeJS.Timeout;
  private isBeating = false;
  private isLost = false;

  constructor(
    private readonly clock: Clock,
    config: Config,
    private readonly redis: RedisClient,
    private readonly usage: UsageRecorder,
    private readonly metrics: Pick<RateLimitMetrics, 'redis'>,
  ) {
    super();
    this.cache = new ResultCache(clock, config.maxAnonymousAddresses);
    this.membership = new Membership(clock, redis, (now) => {
      this.cache.setTime(now);
    });
    this.shared = new SharedLimiter(clock, config.maxAnonymousAddresses, redis, this.cache, this.membership);
    this.fallback = new FallbackLimiter(clock, this.cache, this.membership);
    metrics.redis('up');
  }

  /** Without Redis this replica starts alone. */
  override async open(): Promise<void> {
    await this.redis.connect().catch((error: unknown) => {
      this.lose(error);
    });
    this.redis.onClose(() => {
      this.lose('the connection is closed');
    });
    await this.beat();
    this.heartbeat = setInterval(() => {
      if (!this.isBeating) void this.beat();
    }, HEARTBEAT).unref(); // not before: it would connect as well
  }

  /** Whether this replica counts alone now. */
  get degraded(): boolean {
    return this.isLost;
  }

  /** The number of replicas, this one included, as last reported by Redis. */
  get replicaCount(): number {
    return this.membership.count;
  }

  consume(client: RateLimitClient): RateLimitResult | Promise<RateLimitResult> {
    const refusal = this.knownRefusal(client);
    if (refusal) return refusal;
    if (!this.isLost) return this.ask(client, 1);
    const decided = this.fallback.consume(client);
    this.record(client, decided);
    return decided;
  }

  peek(client: RateLimitClient): RateLimitResult | Promise<RateLimitResult> {
    const refusal = this.knownRefusal(client);
    if (refusal) return refusal;
    return this.isLost ? this.fallback.peek(client) : this.ask(client, 0);
  }

  async close(): Promise<void> {
    clearInterval(this.heartbeat);
    this.redis.close();
    await this.usage.close();
  }

  /** The refusal of a client that is known to be exhausted. */
  private knownRefusal(client: RateLimitClient): RateLimitResult | undefined {
    const elapsed = this.clock.elapsed();
    const usage = this.cache.find(client, elapsed);
    if (!usage.isExhausted(client.limits, elapsed)) return undefined;
    this.cache.begin(usage, elapsed);
    return resultOf(false, client, this.cache.counts(usage, elapsed));
  }

  private async ask(client: RateLimitClient, charge: Charge): Promise<RateLimitResult> {
    let decided: RateLimitResult;
    try {
      const consumed = await this.shared.consume(client, charge);
      decided = resultOf(consumed.admitted, client, consumed);
    } catch (error) {
      // The command may have run. It is decided here, and reported to Redis with all that is decided here.
      this.lose(error);
      decided = charge === 1 ? this.fallback.consume(client) : this.fallback.peek(client);
    }
    if (charge === 1) this.record(client, decided);
    return decided;
  }

  private record({ id, limits }: RateLimitClient, { admitted }: RateLimitResult): void {
    if (admitted && limits.perDay !== undefined) this.usage.note(id);
  }

  /** This replica now decides by itself, also about requests that wait for Redis. */
  private lose(reason: unknown): void {
    this.membership.interrupted();
    if (this.isLost) return;
    this.isLost = true;
    this.metrics.redis('lost');
    this.logger.warn(
      `Redis is unavailable (${String(reason)}): counting 1/${this.membership.count} of each limit in this replica.`,
    );
    this.redis.abandon(new Error('Redis is unavailable'));
  }

  /** Announces this replica, reads the number of replicas, and detects that Redis is back. */
  private async beat(): Promise<void> {
    this.isBeating = true;
    try {
      const generation = await this.membership.announce();
      if (generation !== undefined) await this.join(generation);
      if (!this.membership.isComplete) return;
      const count = await this.shared.statePending(this.isLost);
      if (this.isLost) this.comeBack(count);
    } catch (error) {
      this.lose(error);
    } finally {
      this.isBeating = false;
    }
  }

  /** A restarted Redis may have lost data: it gets the counts of this replica before the next decision. */
  private async join(generation: string): Promise<void> {
    if (this.membership.isMember) this.lose('it has restarted');
    await this.shared.restate();
    await this.membership.join(generation);
  }

  private comeBack(count: number): void {
    this.isLost = false;
    this.metrics.redis('up');
    this.logger.log(`Redis is back: counting together again; the counts of ${count} clients were added.`);
  }
}
