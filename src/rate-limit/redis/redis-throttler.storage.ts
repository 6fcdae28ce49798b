import { Logger } from '@nestjs/common';
import type { Clock } from '../../kernel/clock/clock.js';
import { seconds } from '../../kernel/clock/duration.js';
import type { Config } from '../../kernel/config/config.js';
import type { UsageRecorder } from '../daily-usage/usage-recorder.js';
import type { RateLimitResult } from '../rate-limit.result.js';
import { PlanThrottlerStorage, type RateLimitClient } from '../plan-throttler.storage.js';
import type { RateLimitMetrics } from '../rate-limit.metrics.js';
import type { RedisConnection } from './redis-connection.js';
import { partOf } from './redis-keys.js';
import { RedisShard } from './redis-shard.js';

const HEARTBEAT = seconds(0.5);
const MAX_KEYS = 100_000;

/**
 * Counts in Redis, exact for any number of replicas: one command for an admitted request, none for a client known
 * to be exhausted. Of a cluster, each shard may be lost and come back by itself.
 */
export class RedisThrottlerStorage extends PlanThrottlerStorage {
  private readonly logger = new Logger(RedisThrottlerStorage.name);
  private readonly shards: readonly RedisShard[];
  private heartbeat?: NodeJS.Timeout;
  /** Clients whose counts Redis has got since the first shard was lost. */
  private stated = 0;

  constructor(
    clock: Clock,
    config: Config,
    private readonly redis: RedisConnection,
    private readonly usage: UsageRecorder,
    private readonly metrics: Pick<RateLimitMetrics, 'redis'>,
  ) {
    super();
    const { length } = redis.clients;
    this.shards = redis.clients.map(
      (client) =>
        new RedisShard(clock, client, usage, {
          maxKeys: MAX_KEYS / length,
          maxAddresses: config.maxAnonymousAddresses / length,
          maxCountedAddresses: config.maxAnonymousAddresses,
          onLost: (reason, replicas) => {
            this.noteLoss(reason, replicas);
          },
          onBack: (clients) => {
            this.noteReturn(clients);
          },
        }),
    );
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
      void this.beat();
    }, HEARTBEAT).unref(); // not before: it would connect as well
  }

  /** Whether this replica counts alone now, be it for the clients of one shard only. */
  get degraded(): boolean {
    return this.lostShards > 0;
  }

  /** How many of the shards do not respond. */
  get lostShards(): number {
    return this.shards.reduce((sum, { degraded }) => (degraded ? sum + 1 : sum), 0);
  }

  get shardCount(): number {
    return this.shards.length;
  }

  /** The number of replicas, this one included, as last reported by every shard. */
  get replicaCount(): number {
    return Math.min(...this.shards.map(({ replicaCount }) => replicaCount));
  }

  consume(client: RateLimitClient): RateLimitResult | Promise<RateLimitResult> {
    return this.shardOf(client).consume(client);
  }

  peek(client: RateLimitClient): RateLimitResult | Promise<RateLimitResult> {
    return this.shardOf(client).peek(client);
  }

  async close(): Promise<void> {
    clearInterval(this.heartbeat);
    this.redis.close();
    await this.usage.close();
  }

  private shardOf({ id }: RateLimitClient): RedisShard {
    const [only] = this.shards;
    const shard = this.shards.length === 1 ? only : this.shards[partOf(id)];
    if (!shard) throw new Error('there is one shard for each part');
    return shard;
  }

  private lose(reason: unknown): void {
    for (const shard of this.shards) shard.lose(reason);
  }

  private async beat(): Promise<void> {
    if (this.degraded) this.redis.recover();
    await Promise.all(this.shards.map((shard) => shard.beat()));
  }

  private noteLoss(reason: unknown, replicas: number): void {
    if (this.lostShards > 1) return; // the others of the same node, or of the whole cluster
    this.stated = 0;
    this.metrics.redis('lost');
    const what = this.shardCount > 1 ? 'A part of the Redis Cluster' : 'Redis';
    this.logger.warn(
      `${what} is unavailable (${String(reason)}): counting 1/${replicas} of each limit in this replica.`,
    );
  }

  private noteReturn(clients: number): void {
    this.stated += clients;
    if (this.degraded) return;
    this.metrics.redis('up');
    this.logger.log(
      `Redis is back: counting together again; the counts of ${this.stated} clients were added.`,
    );
  }
}
