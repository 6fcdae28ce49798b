import type { Clock } from '../../kernel/clock/clock.js';
import { days, seconds } from '../../kernel/clock/duration.js';
import type { UsageRecorder } from '../daily-usage/usage-recorder.js';
import { WindowCounters } from '../memory/window-counters.js';
import { PlanThrottlerStorage } from '../plan-throttler.storage.js';
import type { RateLimitConfig } from '../rate-limit.config.js';
import type { RateLimitMetrics } from '../rate-limit.metrics.js';
import type { RateLimitClient, RateLimitResult } from '../rate-limit.result.js';
import { KnownRefusals } from './known-refusals.js';
import type { Charge, RedisWithScripts } from './open-redis.js';
import { RedisQuotas } from './redis-quotas.js';
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
  private readonly quotas: RedisQuotas;
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
    this.quotas = new RedisQuotas(redis, { timeout, maxAddresses, usedOn });
    this.watch = new RedisWatch(redis, clock, metrics);
    this.refusals = new KnownRefusals(clock);
    this.alone = new WindowCounters(clock, maxAddresses);
  }

  /** If Redis is unavailable, this replica starts alone. */
  override open(): Promise<void> {
    return this.watch.start();
  }

  /** Whether this replica currently counts alone. */
  get degraded(): boolean {
    return this.watch.isLost;
  }

  /** The number of replicas, this one included. */
  get replicaCount(): number {
    return this.watch.replicaCount;
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
    return this.watch.isLost
      ? this.decideAlone(client, charge)
      : this.decideTogether(client, charge, isBanned);
  }

  private async decideTogether(
    client: RateLimitClient,
    charge: Charge,
    isBanned: boolean,
  ): Promise<RateLimitResult> {
    try {
      const result = await this.quotas.consume(client, charge);
      if (isBanned || !result.admitted) this.refusals.add(client, result);
      else if (charge) this.record(client, result);
      return result;
    } catch (error) {
      this.watch.markUnavailable(error);
      return this.decideAlone(client, charge);
    }
  }

  /** Admits this replica's share of each limit, or one request if there are more replicas than requests. */
  private decideAlone(client: RateLimitClient, charge: Charge): RateLimitResult {
    const { perMinute, perDay } = client.limits;
    const share = (limit: number) => Math.max(1, Math.floor(limit / this.watch.replicaCount));
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
