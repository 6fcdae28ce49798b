import { Logger } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../clock/clock.js';
import { seconds } from '../../clock/duration.js';
import { PeriodicTasks } from '../../clock/periodic-tasks.js';
import { SERVICE } from '../../config/service.js';
import type { RateLimitMetrics } from '../rate-limit.metrics.js';
import type { RedisWithScripts } from './open-redis.js';
import { inTime } from './redis-quotas.js';

const CONNECT_TIMEOUT = seconds(2);
const RECONNECT_EVERY = seconds(2);
const HEARTBEAT = seconds(0.5);
/** Requests do not wait for heartbeats. */
const HEARTBEAT_TIMEOUT = seconds(2);
/** How long a replica is considered alive after its last heartbeat. */
const SEEN_FOR = seconds(5);

const REPLICAS = `${SERVICE.prefix}:{seen}`;

/**
 * Checks by heartbeat whether Redis responds and how many replicas of the service use it. Logs when it is lost and when it is
 * back.
 */
export class RedisWatch {
  /** Whether this replica is currently counting alone. */
  isLost = false;
  /** The number of replicas, this one included. */
  replicaCount = 1;
  private readonly logger = new Logger('Redis');
  private readonly replica = randomUUID();
  private readonly tasks = new PeriodicTasks((error) => {
    this.logger.error(error);
  });
  private reconnectAt = -Infinity;
  /** When Redis last confirmed the number of replicas, or was lost. */
  private countedAt = -Infinity;
  /** Why there is no connection. A command fails with a less helpful reason. */
  private connectionError?: string;

  constructor(
    private readonly redis: RedisWithScripts,
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
    await this.beat();
    this.tasks.add(HEARTBEAT, () => this.beat()); // not earlier: it would connect as well
  }

  stop(): void {
    void this.tasks.stop();
    this.isLost = true; // its end is not a loss
    this.redis.disconnect();
  }

  markUnavailable(reason: unknown): void {
    if (this.isLost) return;
    this.isLost = true;
    this.metrics.redis('lost');
    this.logger.warn(
      `Redis is unavailable (${this.connectionError ?? String(reason)}): counting 1/${this.replicaCount} of each limit in this replica.`,
    );
  }

  async beat(): Promise<void> {
    try {
      const announced = this.redis.petstoreAnnounce(REPLICAS, this.replica, SEEN_FOR / 1000);
      this.recover(await inTime(announced, HEARTBEAT_TIMEOUT));
    } catch (error) {
      this.countedAt = this.clock.elapsed();
      this.markUnavailable(error);
      this.reconnect();
    }
  }

  /** The number of replicas falls only after 5 s of uninterrupted contact. */
  private recover(replicas: number): void {
    const now = this.clock.elapsed();
    if (replicas >= this.replicaCount || now - this.countedAt >= SEEN_FOR) {
      this.replicaCount = replicas;
      this.countedAt = now;
    }
    if (!this.isLost) return;
    this.isLost = false;
    this.metrics.redis('up');
    this.logger.log('Redis is back: counting together again.');
  }

  /**
   * A connection to a frozen server stays open. A new one finds the master that sentinels have named in the meantime.
   */
  private reconnect(): void {
    const { redis, clock } = this;
    if (!['ready', 'connect'].includes(redis.status)) return;
    if (clock.elapsed() < this.reconnectAt) return;
    this.reconnectAt = clock.elapsed() + RECONNECT_EVERY;
    redis.disconnect(true);
  }
}
