import type { Clock } from '../../../kernel/clock/clock.js';
import { days, seconds } from '../../../kernel/clock/duration.js';
import type { UsageRecorder } from '../daily-usage/usage-recorder.js';
import { WindowCounters } from '../memory/window-counters.js';
import { type MaybeAsync, PlanThrottlerStorage } from '../plan-throttler.storage.js';
import type { RateLimitConfig } from '../rate-limit.config.js';
import type { RateLimitMetrics } from '../rate-limit.metrics.js';
import type { QuotaSubject, QuotaResult, RateLimitWindow } from '../quota.js';
import { KnownRefusals } from './known-refusals.js';
import type { RedisWithScripts } from './open-redis.js';
import { hashOf, RedisQuotas } from './redis-quotas.js';
import { RedisWatch } from './redis-watch.js';

/**
 * A healthy Redis responds within a millisecond. If its machine has ten times the load it can handle, one
 * reply in 1,000 takes 500 ms.
 */
const COMMAND_TIMEOUT = seconds(1);

/**
 * Counts in Redis, exactly, for any number of replicas, with one command per admitted request. While Redis
 * does not respond, each replica counts its share of every limit itself, in windows that continue when Redis
 * is back. So does a replica that can read the day's count of a key neither in Redis nor in PostgreSQL.
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
    const usedOn = async (keyId: string, day: number, hasBegun: boolean) => {
      const others = (await usage.others(keyId, day)) ?? (hasBegun ? 0 : undefined);
      return others === undefined ? undefined : others + usage.own(keyId, day);
    };
    this.quotas = new RedisQuotas(redis, { timeout, maxAddresses, usedOn });
    this.watch = new RedisWatch(redis, clock, metrics);
    this.refusals = new KnownRefusals(clock);
    this.alone = new WindowCounters(clock, maxAddresses);
  }

  /** If Redis is unavailable, this replica starts alone. */
  override open(): Promise<void> {
    return this.watch.start();
  }

  /** Whether this replica currently counts alone, in a cluster at least the clients of one master. */
  get degraded(): boolean {
    return this.watch.isDegraded;
  }

  /** The masters of a cluster that are lost. Empty without a cluster, and if all of it is lost. */
  get lostNodes(): readonly string[] {
    return this.watch.lostNodes;
  }

  /** The number of replicas, this one included. */
  get replicaCount(): number {
    return this.watch.replicaCount;
  }

  async close(): Promise<void> {
    this.watch.stop();
    await this.usage.close();
  }

  protected decide(subject: QuotaSubject, charges: boolean, isBanned = false): MaybeAsync<QuotaResult> {
    const refusal = this.refusals.find(subject, isBanned);
    if (refusal) return refusal;
    return this.watch.isLost(hashOf(subject))
      ? this.decideAlone(subject, charges)
      : this.decideTogether(subject, charges, isBanned);
  }

  private async decideTogether(
    subject: QuotaSubject,
    charges: boolean,
    isBanned: boolean,
  ): Promise<QuotaResult> {
    try {
      const result = await this.quotas.decide(subject, charges ? 1 : 0);
      if (!result) return this.decideAlone(subject, charges); // Redis would keep a wrong count all day
      if (isBanned || !result.admitted) this.refusals.add(subject, result);
      else if (charges) this.record(subject, result);
      return result;
    } catch (error) {
      this.watch.markUnavailable(error, hashOf(subject));
      return this.decideAlone(subject, charges);
    }
  }

  /** Admits this replica's share of each limit, or one request if there are more replicas than requests. */
  private decideAlone(subject: QuotaSubject, charges: boolean): QuotaResult {
    const { limit, perDay } = subject;
    const share = (whole: number) => Math.max(1, Math.floor(whole / this.watch.replicaCount));
    const shares =
      subject.kind === 'key'
        ? { ...subject, limit: share(limit), perDay: share(subject.perDay) }
        : { ...subject, limit: share(limit) };
    const { admitted, windows } = this.alone.decide(shares, charges);
    if (admitted && charges) this.record(subject, { windows });
    const limitOf = ({ name, limit: ofDay }: RateLimitWindow) => (name === 'day' ? (perDay ?? ofDay) : limit);
    return { admitted, windows: windows.map((window) => ({ ...window, limit: limitOf(window) })) };
  }

  private record({ id }: QuotaSubject, { windows: [, day] }: Pick<QuotaResult, 'windows'>): void {
    if (day) this.usage.add(id, day.resetAt / days(1) - 1);
  }
}
