import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Ban, ApiKeyPrincipal } from '../../auth/principal.js';
import { Clock } from '../../kernel/clock/clock.js';
import { Config } from '../../kernel/config/config.js';
import type { Int64 } from '../../kernel/json/int64.js';
import { BanRecorder, type OwnBan } from './ban-recorder.js';
import { decisive, type Decision } from '../decision.js';
import { RateLimitMetrics } from '../rate-limit.metrics.js';
import { nextBan } from './escalation.js';
import { Strikes } from './strikes.js';

const MOST_WATCHED = 50_000;

/**
 * Keys that go on sending after a 429. Strikes are counted in this process; a ban holds here at once and is written to the key's record,
 * from where it reaches every process, survives a restart and can be lifted.
 */
@Injectable()
export class Bans {
  private readonly logger = new Logger(Bans.name);
  private readonly strikes = new LRUCache<Int64, Strikes>({ max: MOST_WATCHED });
  private readonly fresh = new LRUCache<Int64, OwnBan>({ max: MOST_WATCHED });

  constructor(
    private readonly recorder: BanRecorder,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly metrics: RateLimitMetrics,
  ) {}

  /** Milliseconds until the key's ban ends; 0 when there is none. */
  remaining(principal: ApiKeyPrincipal): number {
    const ban = this.last(principal);
    return ban ? Math.max(0, ban.endsAt - this.clock.now()) : 0;
  }

  /** Counts a refusal against the key. @returns milliseconds of the ban it caused; 0 mostly */
  refused(principal: ApiKeyPrincipal, refusal: Decision): number {
    let strikes = this.strikes.get(principal.id);
    if (!strikes) this.strikes.set(principal.id, (strikes = new Strikes()));
    const now = this.clock.elapsed();
    if (strikes.add(now, now + decisive(refusal).resetIn) < this.most(principal)) return 0;
    return this.ban(principal);
  }

  /** A plan with a larger limit makes more requests in the time it takes to notice a 429. */
  private most({ limits }: ApiKeyPrincipal): number {
    return Math.max(this.config.banStrikes, Math.floor(limits.perMinute / 2));
  }

  private ban(principal: ApiKeyPrincipal): number {
    const since = this.clock.now();
    const ban = { ...nextBan(this.last(principal), this.config.banSteps, since), since };
    this.fresh.set(principal.id, ban);
    this.strikes.delete(principal.id);
    this.metrics.banned();
    const { endsAt, level } = ban;
    this.logger.warn(
      `Key ${principal.id} is banned until ${new Date(endsAt).toISOString()} (step ${level}).`,
    );
    this.recorder.record(principal.id, ban);
    return endsAt - since;
  }

  /** The later one of the ban on record and the one of this process, unless it was lifted. */
  private last({ id, ban, forgivenAt = 0 }: ApiKeyPrincipal): Ban | undefined {
    const fresh = this.fresh.get(id);
    if (!fresh || fresh.since <= forgivenAt) return ban;
    return ban && ban.endsAt > fresh.endsAt ? ban : fresh;
  }
}
