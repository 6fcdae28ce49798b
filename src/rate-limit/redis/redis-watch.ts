import { Logger } from '@nestjs/common';
import type { Clock } from '../../kernel/clock/clock.js';
import { seconds } from '../../kernel/clock/duration.js';
import type { RateLimitMetrics } from '../rate-limit.metrics.js';
import type { RedisWithScripts } from './open-redis.js';
import { inTime, type RedisShard } from './redis-shard.js';

const CONNECT_TIMEOUT = seconds(2);
const RECONNECT_EVERY = seconds(2);
const HEARTBEAT = seconds(0.5);

/** Checks by heartbeat whether Redis responds, and logs when it is lost and when it is back. */
export class RedisWatch {
  private readonly logger = new Logger('Redis');
  private heartbeat?: NodeJS.Timeout;
  private announcing?: Promise<void>;
  private reconnectAt = -Infinity;
  /** Why there is no connection. A command fails with a less helpful reason. */
  private connectionError?: string;

  constructor(
    private readonly redis: RedisWithScripts,
    private readonly shards: readonly RedisShard[],
    private readonly clock: Clock,
    private readonly metrics: Pick<RateLimitMetrics, 'redis'>,
  ) {
    redis.on('error', (error: Error) => {
      this.connectionError = error.message;
      this.logger.debug(error.message);
    });
    redis.on('ready', () => (this.connectionError = undefined));
    metrics.redis('up');
  }

  async start(): Promise<void> {
    await inTime(this.redis.connect(), CONNECT_TIMEOUT).catch((error: unknown) => {
      this.logger.debug(String(error));
    });
    await this.announce();
    this.heartbeat = setInterval(() => void this.announce(), HEARTBEAT).unref(); // not earlier: it would connect as well
  }

  stop(): void {
    clearInterval(this.heartbeat);
    this.redis.disconnect();
  }

  /** How many shards do not respond. */
  get lostShards(): number {
    return this.shards.reduce((sum, { isLost }) => (isLost ? sum + 1 : sum), 0);
  }

  markUnavailable(shard: RedisShard, reason: unknown): void {
    if (shard.isLost) return;
    shard.isLost = true;
    if (this.lostShards > 1) return; // the other shards of the same node or cluster are already reported
    this.metrics.redis('lost');
    const what = this.shards.length > 1 ? 'A part of the Redis Cluster' : 'Redis';
    this.logger.warn(
      `${what} is unavailable (${this.connectionError ?? String(reason)}): counting 1/${shard.replicaCount} of each limit in this replica.`,
    );
  }

  private announce(): Promise<void> {
    this.announcing ??= this.announceAll().finally(() => (this.announcing = undefined));
    return this.announcing;
  }

  private async announceAll(): Promise<void> {
    const announced = await Promise.allSettled(this.shards.map((shard) => shard.announce()));
    for (const [i, shard] of this.shards.entries()) {
      const outcome = announced[i];
      if (outcome?.status === 'rejected') this.markUnavailable(shard, outcome.reason);
      else this.recover(shard);
    }
    if (this.lostShards > 0) this.reconnect();
  }

  private recover(shard: RedisShard): void {
    if (!shard.isLost) return;
    shard.isLost = false;
    if (this.lostShards > 0) return;
    this.metrics.redis('up');
    this.logger.log('Redis is back: counting together again.');
  }

  /**
   * A connection to a frozen server stays open. A new one finds the master that sentinels have named in the meantime.
   */
  private reconnect(): void {
    const { redis, clock } = this;
    if (redis.isCluster || !['ready', 'connect'].includes(redis.status)) return;
    if (clock.elapsed() < this.reconnectAt) return;
    this.reconnectAt = clock.elapsed() + RECONNECT_EVERY;
    redis.disconnect(true);
  }
}
