import { Logger } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../kernel/clock/clock.js';
import { days, seconds } from '../../kernel/clock/duration.js';
import type { Config } from '../../kernel/config/config.js';
import type { UsageRecorder } from '../daily-usage/usage-recorder.js';
import { WindowCounters } from '../memory/window-counters.js';
import type { RateLimitClient } from '../rate-limit-client.js';
import { PlanThrottlerStorage } from '../plan-throttler.storage.js';
import type { RateLimitMetrics } from '../rate-limit.metrics.js';
import type { RateLimitResult } from '../rate-limit.result.js';
import { inTime } from './in-time.js';
import { KnownRefusals } from './known-refusals.js';
import type { Charge, RedisWithScripts } from './open-redis.js';
import { partOf, SHARDS, SINGLE_REDIS } from './redis-keys.js';
import { RedisShard } from './redis-shard.js';

/** A healthy Redis responds in a millisecond. With ten times the load of its machine, one of 1,000 replies takes 500. */
const COMMAND_TIMEOUT = seconds(1);
const CONNECT_TIMEOUT = seconds(2);
const RECONNECT_EVERY = seconds(2);
const HEARTBEAT = seconds(0.5);

/**
 * Counts in Redis, exact for any number of replicas: one command for an admitted request. While Redis does not respond, each
 * replica counts its share of every limit by itself, in windows that run on when Redis is back.
 */
export class RedisThrottlerStorage extends PlanThrottlerStorage {
  private readonly logger = new Logger(RedisThrottlerStorage.name);
  private readonly shards: readonly RedisShard[];
  private readonly refusals: KnownRefusals;
  /** What this replica has admitted without Redis. */
  private readonly alone: WindowCounters;
  private heartbeat?: NodeJS.Timeout;
  private isBeating = false;
  private reconnectAt = -Infinity;

  constructor(
    private readonly clock: Clock,
    { maxAnonymousAddresses: maxAddresses }: Config,
    private readonly redis: RedisWithScripts,
    private readonly usage: UsageRecorder,
    private readonly metrics: Pick<RateLimitMetrics, 'redis'>,
    timeout = COMMAND_TIMEOUT,
  ) {
    super();
    const usedOn = async (id: RateLimitClient['id'], day: number) =>
      ((await usage.others(id, day)) ?? 0) + usage.own(id, day);
    const options = { replica: randomUUID(), timeout, maxAddresses, usedOn };
    const keys = redis.isCluster ? SHARDS : [SINGLE_REDIS];
    this.shards = keys.map((shard) => new RedisShard(redis, shard, clock, options));
    this.refusals = new KnownRefusals(clock);
    this.alone = new WindowCounters(clock, maxAddresses);
    redis.on('error', (error: Error) => {
      this.logger.debug(error.message);
    });
    metrics.redis('up');
  }

  /** Without Redis this replica starts alone. */
  override async open(): Promise<void> {
    await inTime(this.redis.connect(), CONNECT_TIMEOUT).catch((error: unknown) => {
      this.logger.debug(String(error));
    });
    await this.beat();
    this.heartbeat = setInterval(() => void this.beat(), HEARTBEAT).unref(); // not before: it would connect as well
  }

  /** Whether this replica counts alone now, be it for the clients of one shard only. */
  get degraded(): boolean {
    return this.lostShards > 0;
  }

  /** How many of the shards do not respond. */
  get lostShards(): number {
    return this.shards.reduce((sum, { isLost }) => (isLost ? sum + 1 : sum), 0);
  }

  get shardCount(): number {
    return this.shards.length;
  }

  /** The number of replicas, this one included, as last reported by every shard. */
  get replicaCount(): number {
    return Math.min(...this.shards.map(({ replicaCount }) => replicaCount));
  }

  consume(client: RateLimitClient): RateLimitResult | Promise<RateLimitResult> {
    return this.refusals.find(client) ?? this.decide(client, 1);
  }

  peek(client: RateLimitClient): RateLimitResult | Promise<RateLimitResult> {
    return this.refusals.find(client) ?? this.decide(client, 0);
  }

  async close(): Promise<void> {
    clearInterval(this.heartbeat);
    this.redis.disconnect();
    await this.usage.close();
  }

  private decide(client: RateLimitClient, charge: Charge): RateLimitResult | Promise<RateLimitResult> {
    const shard = this.shardOf(client);
    return shard.isLost
      ? this.decideAlone(shard, client, charge)
      : this.decideTogether(shard, client, charge);
  }

  private async decideTogether(
    shard: RedisShard,
    client: RateLimitClient,
    charge: Charge,
  ): Promise<RateLimitResult> {
    let result: RateLimitResult;
    try {
      result = await shard.consume(client, charge);
    } catch (error) {
      this.lose(shard, error);
      return this.decideAlone(shard, client, charge);
    }
    if (!result.admitted) this.refusals.add(client, result);
    else if (charge) this.record(client, result);
    return result;
  }

  /** Admits this replica's share of each limit, or one request where there are more replicas than requests. */
  private decideAlone(shard: RedisShard, client: RateLimitClient, charge: Charge): RateLimitResult {
    const share = (limit: number) => Math.max(1, Math.floor(limit / shard.replicaCount));
    const { perMinute, perDay } = client.limits;
    const limits = { perMinute: share(perMinute), perDay: perDay === undefined ? undefined : share(perDay) };
    const { admitted, windows } = this.alone.decide({ ...client, limits }, charge === 1);
    const [minute, day] = windows;
    const result = {
      admitted,
      windows: [
        ...(minute ? [{ ...minute, limit: perMinute }] : []),
        ...(day ? [{ ...day, limit: perDay ?? 0 }] : []),
      ],
    };
    if (admitted && charge) this.record(client, result);
    return result;
  }

  private record({ id }: RateLimitClient, { windows: [, day] }: RateLimitResult): void {
    if (day) this.usage.add(id, day.resetAt / days(1) - 1);
  }

  private shardOf({ id }: RateLimitClient): RedisShard {
    const shard = this.shards[this.shards.length === 1 ? 0 : partOf(id)];
    if (!shard) throw new Error('there is one shard for each part');
    return shard;
  }

  private async beat(): Promise<void> {
    if (this.isBeating) return;
    this.isBeating = true;
    await Promise.all(
      this.shards.map((shard) =>
        shard.announce().then(
          () => {
            this.recover(shard);
          },
          (error: unknown) => {
            this.lose(shard, error);
          },
        ),
      ),
    );
    this.isBeating = false;
    if (this.degraded) this.reconnect();
  }

  /** A connection to a frozen server stays open. Another one finds the master that sentinels have named meanwhile. */
  private reconnect(): void {
    const { redis, clock } = this;
    if (redis.isCluster || !['ready', 'connect'].includes(redis.status)) return;
    if (clock.elapsed() < this.reconnectAt) return;
    this.reconnectAt = clock.elapsed() + RECONNECT_EVERY;
    redis.disconnect(true);
  }

  private lose(shard: RedisShard, reason: unknown): void {
    if (shard.isLost) return;
    shard.isLost = true;
    if (this.lostShards > 1) return; // the others of the same node, or of the whole cluster
    this.metrics.redis('lost');
    const what = this.shardCount > 1 ? 'A part of the Redis Cluster' : 'Redis';
    this.logger.warn(
      `${what} is unavailable (${String(reason)}): counting 1/${shard.replicaCount} of each limit in this replica.`,
    );
  }

  private recover(shard: RedisShard): void {
    if (!shard.isLost) return;
    shard.isLost = false;
    if (this.degraded) return;
    this.metrics.redis('up');
    this.logger.log('Redis is back: counting together again.');
  }
}
