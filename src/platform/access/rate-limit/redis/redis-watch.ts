import { Logger } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../kernel/clock/clock.js';
import { seconds, withTimeout } from '../../../kernel/clock/duration.js';
import { PeriodicTasks } from '../../../kernel/clock/periodic-tasks.js';
import { service } from '../../../kernel/config/service.js';
import type { RateLimitMetrics } from '../rate-limit.metrics.js';
import type { RedisWithScripts } from './open-redis.js';
import { reasonOf, selectDatabase } from './redis-checks.js';
import { probesOf, shardOf } from './redis-shards.js';

const CONNECT_TIMEOUT = seconds(2);
const RECONNECT_EVERY = seconds(2);
const HEARTBEAT = seconds(0.5);
/** Requests do not wait for heartbeats. */
const HEARTBEAT_TIMEOUT = seconds(2);
/** How long a replica is considered alive after its last heartbeat, and how long Redis must work to be back. */
const SEEN_FOR = seconds(5);

/**
 * Checks by heartbeat whether Redis responds, in a cluster each master, and how many replicas of the service
 * use it. Logs when it is lost and when it is back. A master of a cluster is lost by itself: the clients that
 * the others count are not affected.
 */
export class RedisWatch {
  /** The number of replicas, this one included. */
  replicaCount = 1;
  private readonly logger = new Logger('Redis');
  private readonly replica = randomUUID();
  private readonly tasks = new PeriodicTasks((error) => {
    this.logger.error(error);
  });
  /** The shards that are lost. See `shardOf`. */
  private readonly lost = new Set<string>();
  /** A key in each shard. */
  private probes: ReadonlyMap<string, string> = new Map();
  /** Whether a loss is in the log and the metrics, and its end is not yet. */
  private isAnnounced = false;
  private isStopped = false;
  private isSelected = false;
  private reconnectAt = -Infinity;
  /** When Redis last confirmed the number of replicas, or was lost. */
  private countedAt = -Infinity;
  /** When Redis last failed. One that is nearly full takes heartbeats, but not the next new client. */
  private failedAt = -Infinity;
  /** Why there is no connection. A command fails with a less helpful reason. */
  private connectionError?: string;

  constructor(
    private readonly redis: RedisWithScripts,
    private readonly clock: Clock,
    private readonly metrics: Pick<RateLimitMetrics, 'redis'>,
  ) {
    redis.on('error', (error: Error) => {
      this.connectionError = reasonOf(error);
      this.logger.debug(this.connectionError);
    });
    redis.on('ready', () => (this.connectionError = undefined));
    redis.on('close', () => (this.isSelected = false));
    metrics.redis('up');
  }

  /** Whether this replica currently counts some or all clients alone. */
  get isDegraded(): boolean {
    return this.isStopped || this.lost.size > 0;
  }

  /** The masters of a cluster that are lost. */
  get lostNodes(): readonly string[] {
    return [...this.lost].filter((shard) => shard !== '');
  }

  /** Whether this replica currently counts alone what is in this hash. */
  isLost(hash: string): boolean {
    return this.isStopped || (this.lost.size > 0 && this.lost.has(shardOf(this.redis, hash)));
  }

  async start(): Promise<void> {
    await withTimeout(this.redis.connect(), CONNECT_TIMEOUT).catch((error: unknown) => {
      this.connectionError ??= reasonOf(error);
      this.logger.debug(String(error));
    });
    await this.beat();
    this.tasks.add(HEARTBEAT, () => this.beat(), 'watchRedis'); // not earlier: it would connect as well
  }

  stop(): void {
    void this.tasks.stop();
    this.isStopped = true; // its end is not a loss
    this.redis.disconnect();
  }

  /** @param hash what could not be counted */
  markUnavailable(reason: unknown, hash: string): void {
    this.lose(shardOf(this.redis, hash), reason);
  }

  async beat(): Promise<void> {
    const probes = probesOf(this.redis, `${service().prefix}:{seen}`, this.probes);
    this.probes = probes;
    // A shard that no longer exists, because its master was demoted, cannot come back; its clients are
    // counted by another one.
    for (const shard of this.lost) if (!probes.has(shard) && !probes.has('')) this.lost.delete(shard);
    const beats = await Promise.all([...probes].map(([shard, key]) => this.beatOf(shard, key)));
    const counts = beats.filter((count) => count !== undefined);
    if (counts.length > 0) this.count(Math.max(...counts));
    this.announceRecovery();
  }

  /** @returns the number of replicas; undefined if the shard is lost */
  private async beatOf(shard: string, key: string): Promise<number | undefined> {
    try {
      if (!this.isSelected) {
        await withTimeout(selectDatabase(this.redis), HEARTBEAT_TIMEOUT);
        this.isSelected = true;
      }
      const announced = this.redis.quotaAnnounce(key, this.replica, SEEN_FOR / 1000);
      const replicas = await withTimeout(announced, HEARTBEAT_TIMEOUT);
      this.lost.delete(shard);
      return replicas;
    } catch (error) {
      this.countedAt = this.clock.elapsed();
      this.lose(shard, error);
      this.reconnect();
      return undefined;
    }
  }

  private lose(shard: string, reason: unknown): void {
    this.failedAt = this.clock.elapsed();
    if (this.isStopped || this.lost.has(shard)) return;
    if (this.lost.size === 0) this.metrics.redis('lost');
    this.lost.add(shard);
    this.isAnnounced = true;
    const what = shard === '' ? 'Redis' : `The Redis master ${shard}`;
    const why = this.connectionError ?? reasonOf(reason);
    this.logger.warn(
      `${what} is unavailable (${why}): counting 1/${this.replicaCount} of each limit in this replica${shard === '' ? '' : ', for its clients'}.`,
    );
  }

  private announceRecovery(): void {
    if (!this.isAnnounced || this.lost.size > 0 || this.clock.elapsed() - this.failedAt < SEEN_FOR) return;
    this.isAnnounced = false;
    this.metrics.redis('up');
    this.logger.log('Redis is back: counting together again.');
  }

  /** The number of replicas falls only after 5 s of uninterrupted contact. */
  private count(replicas: number): void {
    const now = this.clock.elapsed();
    if (replicas < this.replicaCount && now - this.countedAt < SEEN_FOR) return;
    this.replicaCount = replicas;
    this.countedAt = now;
  }

  /**
   * A connection to a frozen server stays open. A new one finds the master that sentinels have named in the
   * meantime. The client of a cluster does that by itself.
   */
  private reconnect(): void {
    const { redis, clock } = this;
    if (redis.isCluster || !['ready', 'connect'].includes(redis.status)) return;
    if (clock.elapsed() < this.reconnectAt) return;
    this.reconnectAt = clock.elapsed() + RECONNECT_EVERY;
    redis.disconnect(true);
  }
}
