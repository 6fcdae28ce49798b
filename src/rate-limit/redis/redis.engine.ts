import { Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../kernel/clock/clock.js';
import { seconds } from '../../kernel/clock/duration.js';
import type { Config } from '../../kernel/config/config.js';
import { decision } from '../counts.js';
import type { Decision } from '../decision.js';
import { MINUTE, QuotaEngine, type Subject } from '../quota-engine.js';
import type { RateLimitMetrics } from '../rate-limit.metrics.js';
import { LastKnown } from './last-known.js';
import { type Debt, LocalShare } from './local-share.js';
import type { RedisLink, Taken } from './redis-link.js';
import type { UsageRecorder } from '../daily-usage/usage-recorder.js';

const HEARTBEAT = seconds(0.5);
const ANNOUNCED_FOR = seconds(5);

/**
 * Counts in Redis, exact for any number of replicas: one command for an admitted request, none for a caller known
 * to be exhausted. When Redis does not answer in time, this replica counts its share by itself until it is back.
 */
export class RedisEngine extends QuotaEngine implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(RedisEngine.name);
  private readonly replica = randomUUID();
  private readonly known: LastKnown;
  private heartbeat?: NodeJS.Timeout;
  private beating = false;
  private replicas = 1;
  private local?: LocalShare;

  constructor(
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly redis: RedisLink,
    private readonly usage: UsageRecorder,
    private readonly metrics: Pick<RateLimitMetrics, 'redis'>,
  ) {
    super();
    this.known = new LastKnown(clock);
    metrics.redis('up');
  }

  /** Makes the first contact, so that no request has to wait for it. Without Redis this replica starts alone. */
  async onApplicationBootstrap(): Promise<void> {
    await this.redis.connect().catch((error: unknown) => this.lose(error));
    await this.beat();
    this.heartbeat = setInterval(() => {
      if (!this.beating) void this.beat();
    }, HEARTBEAT).unref(); // not before: it would connect as well
  }

  /** Whether this replica counts alone at the moment. */
  get degraded(): boolean {
    return this.local !== undefined;
  }

  /** How many replicas there are, this one included, as it last heard. */
  get replicaCount(): number {
    return this.replicas;
  }

  take(subject: Subject): Decision | Promise<Decision> {
    const refusal = this.known.refusal(subject);
    if (refusal) return refusal;
    const { local } = this;
    if (!local) return this.ask(subject, 1);
    const decided = local.take(subject, { owed: true });
    this.record(subject, decided);
    return decided;
  }

  look(subject: Subject): Decision | Promise<Decision> {
    return this.known.refusal(subject) ?? this.local?.look(subject) ?? this.ask(subject, 0);
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.heartbeat);
    this.redis.close();
    await this.usage.close();
  }

  private async ask(subject: Subject, charge: 0 | 1): Promise<Decision> {
    let decided: Decision;
    try {
      const taken = await this.command(subject, charge);
      this.known.note(subject, taken);
      decided = decision(taken.admitted, subject, taken);
    } catch (error) {
      // The command may have run all the same. It is counted here, for the share, but never sent again.
      const local = this.lose(error);
      decided = charge === 1 ? local.take(subject, { owed: false }) : local.look(subject);
    }
    if (charge === 1) this.record(subject, decided);
    return decided;
  }

  private command(subject: Subject, charge: 0 | 1): Promise<Taken> {
    const { id, limits, period = MINUTE } = subject;
    const { perMinute, perDay } = limits;
    if (perDay !== undefined) return this.redis.take(keyOf(subject), period, perMinute, perDay, charge);
    const table = subject.period === undefined ? 'anonymous' : `windows:${period}`;
    return this.redis.takeCapped(
      { table, most: this.config.maxAnonymousAddresses },
      String(id),
      period,
      perMinute,
      charge,
    );
  }

  private record({ id, limits }: Subject, { admitted }: Decision): void {
    if (admitted && limits.perDay !== undefined) this.usage.note(id);
  }

  private lose(error: unknown): LocalShare {
    if (!this.local) {
      this.logger.warn(
        `Redis is away (${String(error)}): counting 1/${this.replicas} of each limit in this replica.`,
      );
      this.metrics.redis('lost');
      this.local = new LocalShare(this.clock, this.config.maxAnonymousAddresses, this.replicas, (id) =>
        this.known.counts(id),
      );
    }
    return this.local;
  }

  /** Tells the other replicas of this one, finds out how many there are, and whether Redis is back. */
  private async beat(): Promise<void> {
    this.beating = true;
    try {
      this.replicas = Math.max(1, await this.redis.announce(this.replica, ANNOUNCED_FOR));
      if (this.local) await this.comeBack(this.local);
    } catch (error) {
      this.lose(error);
    } finally {
      this.beating = false;
    }
  }

  private async comeBack(local: LocalShare): Promise<void> {
    let paid = 0;
    for (let debts = local.settle(); debts.length > 0; debts = local.settle()) {
      const results = await Promise.allSettled(debts.map((debt) => this.pay(debt)));
      if (results.some(({ status }) => status === 'rejected')) return; // lost again: what was sent may have run, and is not sent twice
      paid += debts.length;
    }
    if (this.local !== local) return;
    this.local = undefined;
    this.metrics.redis('up');
    this.logger.log(`Redis is back: counting together again; the counts of ${paid} callers were added.`);
  }

  private pay({ subject, minuteStart, minute, date, day }: Debt): Promise<void> {
    const age = Math.floor(this.clock.elapsed()) - minuteStart;
    return this.redis.repay(keyOf(subject), subject.period ?? MINUTE, minute, age, day, date);
  }
}

/** The braces make a cluster keep everything of one caller in one slot. */
const keyOf = ({ id }: Subject): string => `petstore:{${id}}`;
