import { randomUUID } from 'node:crypto';
import type { Clock } from '../../kernel/clock/clock.js';
import { days, seconds } from '../../kernel/clock/duration.js';
import type { UsageRecorder } from '../daily-usage/usage-recorder.js';
import { WindowCounters } from '../memory/window-counters.js';
import { PlanThrottlerStorage } from '../plan-throttler.storage.js';
import type { RateLimitClient } from '../rate-limit-client.js';
import type { RateLimitConfig } from '../rate-limit.config.js';
import type { RateLimitMetrics } from '../rate-limit.metrics.js';
import type { RateLimitResult } from '../rate-limit.result.js';
import { KnownRefusals } from './known-refusals.js';
import type { Charge, RedisWithScripts } from './open-redis.js';
import { partOf, SHARDS, SINGLE_REDIS } from './redis-keys.js';
import { RedisShard } from './redis-shard.js';
import { RedisWatch } from './redis-watch.js';

/**
 * A healthy Redis responds within a millisecond. If its machine has ten times the load it can handle, one reply in
 * 1,000 takes 500 ms.
 */
const COMMAND_TIMEOUT = seconds(1);

/**
 * Counts in Redis, exactly, for any number of replicas, with one command per admitted request. While Redis does not
 * respond, each replica counts its share of every limit itself, in windows that continue when Redis is back.
 */
export class RedisThrottlerStorage extends PlanThrottlerStorage {
  private readonly shards: readonly RedisShard[];
  private readonly watch: RedisWatch;
  private readonly refusals: KnownRefusals;
  /** Counts what this replica admits without Redis. */
  private readonly alone: WindowCounters;

  constructor(
    clock: Clock,
    { maxAnonymousAddresses: maxAddresses }: Pick<RateLimitConfig, 'maxAnonymousAddresses'>,
    redis: RedisWithScripts,
    private readonly usage: UsageRecorder,
    metrics: Pick<RateLimitMetrics, 'redis'>,
    timeout = COMMAND_TIMEOUT,
  ) {
    super();
    const usedOn = async (id: RateLimitClient['id'], day: number) =>
      ((await usage.others(id, day)) ?? 0) + usage.own(id, day);
    const options = { replica: randomUUID(), timeout, maxAddresses, usedOn };
    const keys = redis.isCluster ? SHARDS : [SINGLE_REDIS];
    this.shards = keys.map((shard) => new RedisShard(redis, shard, clock, options));
    this.watch = new RedisWatch(redis, this.shards, clock, metrics);
    this.refusals = new KnownRefusals(clock);
    this.alone = new WindowCounters(clock, maxAddresses);
  }

  /** If Redis is unavailable, this replica starts alone. */
  override open(): Promise<void> {
    return this.watch.start();
  }

  /** Whether this replica currently counts alone, even if only for the clients of one shard. */
  get degraded(): boolean {
    return this.lostShards > 0;
  }

  get lostShards(): number {
    return this.watch.lostShards;
  }

  get shardCount(): number {
    return this.shards.length;
  }

  /** The number of replicas, this one included, as last reported by every shard. */
  get replicaCount(): number {
    return Math.min(...this.shards.map(({ replicaCount }) => replicaCount));
  }

  consume(client: RateLimitClient): RateLimitResult | Promise<RateLimitResult> {
    return this.decide(client, 1, false);
  }

  peek(client: RateLimitClient, isBanned = false): RateLimitResult | Promise<RateLimitResult> {
    return this.decide(client, 0, isBanned);
  }

  async close(): Promise<void> {
    this.watch.stop();
    await this.usage.close();
  }

  private decide(
    client: RateLimitClient,
    charge: Charge,
    isBanned: boolean,
  ): RateLimitResult | Promise<RateLimitResult> {
    const refusal = this.refusals.find(client, isBanned);
    if (refusal) return refusal;
    const shard = this.shards[this.shards.length === 1 ? 0 : partOf(client.id)];
    if (!shard) throw new Error('No shard for this client');
    return shard.isLost
      ? this.decideAlone(shard, client, charge)
      : this.decideTogether(shard, client, charge, isBanned);
  }

  private async decideTogether(
    shard: RedisShard,
    client: RateLimitClient,
    charge: Charge,
    isBanned: boolean,
  ): Promise<RateLimitResult> {
    try {
      const result = await shard.consume(client, charge);
      if (isBanned || !result.admitted) this.refusals.add(client, result);
      else if (charge) this.record(client, result);
      return result;
    } catch (error) {
      this.watch.markUnavailable(shard, error);
      return this.decideAlone(shard, client, charge);
    }
  }

  /** Admits this replica's share of each limit, or one request if there are more replicas than requests. */
  private decideAlone(shard: RedisShard, client: RateLimitClient, charge: Charge): RateLimitResult {
    const { perMinute, perDay } = client.limits;
    const share = (limit: number) => Math.max(1, Math.floor(limit / shard.replicaCount));
    const shares = { perMinute: share(perMinute), ...(perDay !== undefined && { perDay: share(perDay) }) };
    const { admitted, windows } = this.alone.decide({ ...client, limits: shares }, charge === 1);
    if (admitted && charge) this.record(client, { windows });
    const limitOf = (name: string, limit: number) => (name === 'day' ? (perDay ?? limit) : perMinute);
    return { admitted, windows: windows.map((one) => ({ ...one, limit: limitOf(one.name, one.limit) })) };
  }

  private record({ id }: RateLimitClient, { windows: [, day] }: Pick<RateLimitResult, 'windows'>): void {
    if (day) this.usage.add(id, day.resetAt / days(1) - 1);
  }
}
