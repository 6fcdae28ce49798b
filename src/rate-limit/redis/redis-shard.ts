import type { Clock } from '../../kernel/clock/clock.js';
import { days } from '../../kernel/clock/duration.js';
import type { UsageRecorder } from '../daily-usage/usage-recorder.js';
import type { RateLimitClient } from '../plan-throttler.storage.js';
import type { RateLimitResult } from '../rate-limit.result.js';
import { resultOf } from '../window-counts.js';
import { FallbackLimiter } from './fallback-limiter.js';
import { Membership } from './membership.js';
import type { RedisClient } from './redis-client.js';
import type { Charge } from './redis-commands.js';
import { ResultCache } from './result-cache.js';
import { SharedLimiter } from './shared-limiter.js';

interface ShardOptions {
  /** Keys that a generation of the cache holds. */
  readonly maxKeys: number;
  readonly maxAddresses: number;
  /** Counts in Redis over all shards. */
  readonly maxCountedAddresses: number;
  /** @param replicas of whose number this one takes its part of each limit */
  readonly onLost: (reason: unknown, replicas: number) => void;
  /** @param clients whose counts Redis has got now */
  readonly onBack: (clients: number) => void;
}

/**
 * The clients whose counts are lost and moved together: all of them in one Redis, a sixteenth of them in a cluster. When
 * Redis does not reply in time, this replica counts its share of them by itself until it is back.
 */
export class RedisShard {
  private readonly cache: ResultCache;
  private readonly membership: Membership;
  private readonly shared: SharedLimiter;
  private readonly fallback: FallbackLimiter;
  private isBeating = false;
  private isLost = false;

  constructor(
    private readonly clock: Clock,
    private readonly redis: RedisClient,
    private readonly usage: UsageRecorder,
    private readonly options: ShardOptions,
  ) {
    this.cache = new ResultCache(clock, options.maxKeys, options.maxAddresses);
    this.membership = new Membership(clock, redis, (now) => {
      this.cache.setTime(now);
    });
    this.shared = new SharedLimiter(clock, options.maxCountedAddresses, redis, this.cache, this.membership);
    this.fallback = new FallbackLimiter(clock, this.cache, this.membership);
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
      if (!isOfMovingSlot(error)) this.lose(error);
      decided = charge === 1 ? this.fallback.consume(client) : this.fallback.peek(client);
    }
    if (charge === 1) this.record(client, decided);
    return decided;
  }

  private record({ id, limits }: RateLimitClient, { admitted }: RateLimitResult): void {
    if (admitted && limits.perDay !== undefined) this.usage.add(id, Math.floor(this.clock.now() / days(1)));
  }

  /** This replica now decides by itself, also about requests that wait for Redis. */
  lose(reason: unknown): void {
    this.membership.interrupted();
    if (this.isLost) return;
    this.isLost = true;
    this.options.onLost(reason, this.membership.count);
    this.redis.abandon(new Error('Redis is unavailable'));
  }

  /** Announces this replica, reads the number of replicas, and detects that Redis is back. */
  async beat(): Promise<void> {
    if (this.isBeating) return;
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
    this.options.onBack(count);
  }
}

/** A script whose two keys are in two nodes, because their slot moves. Only those of tables have two. */
const isOfMovingSlot = (error: unknown): boolean => /TRYAGAIN|non local key/.test(String(error));
