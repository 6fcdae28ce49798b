import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { ApiKeyPrincipal, Ban } from '../../auth/principal.js';
import { atMost } from '../../kernel/caching.js';
import { Clock } from '../../kernel/clock/clock.js';
import { days, seconds } from '../../kernel/clock/duration.js';
import type { Int64 } from '../../kernel/json/int64.js';
import { RateLimitConfig } from '../rate-limit.config.js';
import { MINUTE } from '../rate-limit-client.js';
import { BanRecorder, type OwnBan } from './ban-recorder.js';
import { type RateLimitResult, tightestWindow } from '../rate-limit.result.js';
import { RateLimitMetrics } from '../rate-limit.metrics.js';

const MAX_KEYS = 50_000;

/**
 * Bans keys that keep sending after a 429. Each process counts strikes separately. A ban takes effect in this process
 * immediately and is recorded with the key, so that all processes apply it, it survives a restart, and the operator can
 * lift it.
 */
@Injectable()
export class Bans {
  private readonly logger = new Logger(Bans.name);
  private readonly strikes = new LRUCache<Int64, Strikes>(atMost(MAX_KEYS));
  /** Bans imposed by this process that `ApiKeyPrincipal` may not contain yet. */
  private readonly ownBans = new LRUCache<Int64, OwnBan>(atMost(MAX_KEYS));

  constructor(
    private readonly recorder: BanRecorder,
    private readonly clock: Clock,
    private readonly config: RateLimitConfig,
    private readonly metrics: RateLimitMetrics,
  ) {}

  /** Milliseconds until the key's ban ends; 0 without a ban. */
  remaining(principal: ApiKeyPrincipal): number {
    const ban = this.last(principal);
    return ban ? Math.max(0, ban.endsAt - this.clock.now()) : 0;
  }

  /** Counts a refused request. @returns milliseconds of the ban it causes; usually 0 */
  strike(principal: ApiKeyPrincipal, refusal: RateLimitResult): number {
    let strikes = this.strikes.get(principal.id);
    if (!strikes) this.strikes.set(principal.id, (strikes = new Strikes()));
    const now = this.clock.elapsed();
    if (strikes.add(now, now + tightestWindow(refusal).resetIn) < this.maxStrikes(principal)) return 0;
    return this.ban(principal);
  }

  /** Clients with a higher limit send more requests before they notice a 429. */
  private maxStrikes({ limits }: ApiKeyPrincipal): number {
    return Math.max(this.config.banStrikes, Math.floor(limits.perMinute / 2));
  }

  private ban(principal: ApiKeyPrincipal): number {
    const since = this.clock.now();
    const ban = { ...nextBan(this.last(principal), this.config.banSteps, since), since };
    this.ownBans.set(principal.id, ban);
    this.strikes.delete(principal.id);
    this.metrics.banned();
    const { endsAt, level } = ban;
    this.logger.warn(
      `Key ${principal.id} is banned until ${new Date(endsAt).toISOString()} (step ${level}).`,
    );
    this.recorder.record(principal.id, ban);
    return endsAt - since;
  }

  /** The later of the recorded ban and this process's own ban, unless the latter was lifted. */
  private last({ id, ban, forgivenAt = 0 }: ApiKeyPrincipal): Ban | undefined {
    const own = this.ownBans.get(id);
    if (!own || own.since <= forgivenAt) return ban;
    return ban && ban.endsAt > own.endsAt ? ban : own;
  }
}

/**
 * Each ban is longer than the last, and each full day without a ban reduces the level by one.
 * @param steps durations in milliseconds; the last one repeats
 * @param now Unix milliseconds
 */
function nextBan(last: Ban | undefined, steps: readonly number[], now: number): Ban {
  const cleanDays = last ? Math.max(0, Math.floor((now - last.endsAt) / days(1))) : 0;
  const before = Math.min(Math.max(0, (last?.level ?? 0) - cleanDays), steps.length - 1);
  return { endsAt: now + (steps[before] ?? 0), level: before + 1 };
}

/** Refusals this soon after the first one of a window do not count: those requests were already in flight. */
const GRACE = seconds(1);

/** The refusals of one key. Times are monotonic, in milliseconds. */
export class Strikes {
  private windowEnd = -Infinity;
  private firstRefusal = 0;
  /** Times of strikes, oldest first. Those before index `from` are more than a minute old. */
  private times: number[] = [];
  private from = 0;

  /** Adds a refusal. @param windowEnd end of the exhausted window @returns the number of strikes in the last 60 s */
  add(now: number, windowEnd: number): number {
    if (now >= this.windowEnd) {
      this.windowEnd = windowEnd;
      this.firstRefusal = now;
    }
    if (now - this.firstRefusal >= GRACE) this.times.push(now);
    this.forgetBefore(now - MINUTE);
    return this.times.length - this.from;
  }

  private forgetBefore(time: number): void {
    while ((this.times[this.from] ?? Infinity) <= time) this.from += 1;
    if (this.from * 2 <= this.times.length) return;
    this.times = this.times.slice(this.from);
    this.from = 0;
  }
}
