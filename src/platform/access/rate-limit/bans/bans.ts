import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ApiKeysRepository } from '../../keys/api-keys.repository.js';
import type { ApiKeyPrincipal } from '../../auth/principal.js';
import { type Ban, remainingLevel } from '../../keys/ban.js';
import { atMost } from '../../../kernel/cache/at-most.js';
import { Clock } from '../../../kernel/clock/clock.js';
import { seconds } from '../../../kernel/clock/duration.js';
import { PeriodicTasks } from '../../../kernel/clock/periodic-tasks.js';
import type { Int64 } from '../../../kernel/json/int64.js';
import { RateLimitConfig } from '../rate-limit.config.js';
import { RateLimitMetrics } from '../rate-limit.metrics.js';
import { type RateLimitWindow, tightestWindow } from '../quota.js';
import { Strikes } from './strikes.js';

const MAX_KEYS = 50_000;
const WRITE_EVERY = seconds(1);
/** How long a shutdown keeps trying to record bans. */
const CLOSE_TIMEOUT = seconds(1);

/** A ban imposed by this process. */
interface OwnBan extends Ban {
  /** Unix milliseconds. */
  readonly since: number;
}

/**
 * Bans keys that keep sending after a 429. Each process counts strikes separately. A ban takes effect in this
 * process immediately and is recorded with the key within a second, or as soon as PostgreSQL is available, so
 * that all processes apply it, it survives a restart, and the operator can lift it.
 */
@Injectable()
export class Bans implements OnApplicationShutdown {
  private readonly logger = new Logger(Bans.name);
  private readonly strikes = new LRUCache<Int64, Strikes>(atMost(MAX_KEYS));
  /** Bans imposed by this process that `ApiKeyPrincipal` may not contain yet. */
  private readonly ownBans = new LRUCache<Int64, OwnBan>(atMost(MAX_KEYS));
  private readonly unrecorded = new LRUCache<Int64, OwnBan>(atMost(MAX_KEYS));
  private readonly tasks = new PeriodicTasks((error) => {
    this.logger.warn(`${this.waiting} bans are not recorded yet; retrying: ${String(error)}`);
  });
  private readonly write = this.tasks.add(WRITE_EVERY, () => this.record(), 'recordBans');

  constructor(
    private readonly keys: ApiKeysRepository,
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
  strike(principal: ApiKeyPrincipal, windows: readonly RateLimitWindow[]): number {
    let strikes = this.strikes.get(principal.id);
    if (!strikes) this.strikes.set(principal.id, (strikes = new Strikes()));
    const now = this.clock.elapsed();
    if (strikes.add(now, now + tightestWindow(windows).resetIn) < this.maxStrikes(principal)) return 0;
    return this.ban(principal);
  }

  /** Number of bans not recorded yet. */
  get waiting(): number {
    return this.unrecorded.size;
  }

  async onApplicationShutdown(): Promise<void> {
    if (!(await this.tasks.stopAfter(this.write, CLOSE_TIMEOUT)))
      this.logger.error(`Shutting down without recording the bans of ${this.waiting} keys.`);
  }

  private async record(): Promise<void> {
    const bans = [...this.unrecorded.entries()];
    if (bans.length === 0) return;
    await this.keys.recordBans(bans.map(([id, ban]) => ({ id, ...ban })));
    for (const [id, ban] of bans) if (this.unrecorded.peek(id) === ban) this.unrecorded.delete(id);
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
    this.logger.warn({
      keyId: principal.id,
      msg: `Key ${principal.id} is banned until ${new Date(endsAt).toISOString()} (step ${level}).`,
    });
    this.unrecorded.set(principal.id, ban);
    return endsAt - since;
  }

  /** The later of the recorded ban and this process's own ban, unless the latter was lifted. */
  private last({ id, ban, banLiftedAt = 0 }: ApiKeyPrincipal): Ban | undefined {
    const own = this.ownBans.get(id);
    if (!own || own.since <= banLiftedAt) return ban;
    // Of the same end, the recorded one: another process may have known of a higher level.
    return ban && ban.endsAt >= own.endsAt ? ban : own;
  }
}

/**
 * Each ban is longer than the last, and each full day without a ban reduces the level by one.
 * @param steps durations in milliseconds; the last one repeats
 * @param now Unix milliseconds
 */
function nextBan(last: Ban | undefined, steps: readonly number[], now: number): Ban {
  const before = Math.min(remainingLevel(last, now), steps.length - 1);
  return { endsAt: now + (steps[before] ?? 0), level: before + 1 };
}
