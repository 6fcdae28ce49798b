import type { Clock } from '../../kernel/clock/clock.js';
import { MINUTE, type RateLimitClient } from '../plan-throttler.storage.js';
import type { Membership } from './membership.js';
import type { Charge, Consumed, Statements } from './redis-commands.js';
import type { RedisClient } from './redis-client.js';
import type { ClientUsage, ResultCache } from './result-cache.js';
import { NOTHING } from './window-usage.js';

/** Clients that Redis hears of at a time. */
const BATCH = 100;
/** Milliseconds. No request waits for it. */
const STATE_TIMEOUT = 1_000;

/** Decides in Redis, together with the other replicas, and keeps Redis and the cache true to one another. */
export class SharedLimiter {
  /** Of the last statements that were the whole truth. */
  private version = 0;

  constructor(
    private readonly clock: Clock,
    private readonly maxAddresses: number,
    private readonly redis: RedisClient,
    private readonly cache: ResultCache,
    private readonly membership: Membership,
  ) {}

  /** Charges a request, or not. */
  async consume(client: RateLimitClient, charge: Charge): Promise<Consumed> {
    const { limits, period = MINUTE } = client;
    const usage = this.cache.find(client, this.clock.elapsed());
    if (limits.perDay !== undefined) {
      const isKnown = usage.generation === this.membership.generation && !usage.hasPending;
      return isKnown ? this.ask(usage, charge) : this.state(usage, charge);
    }
    const table = client.period === undefined ? 'anonymous' : `windows:${period}`;
    const sent = { ...usage.minute.statement(this.clock.elapsed()), local: 0 }; // an address's counts are not told
    const consumed = await this.redis.consumeCapped({ table, max: this.maxAddresses }, client, charge);
    const { admitted, minuteUsed: used, minuteEnd: end, now } = consumed;
    usage.minute.learn(sent, sent.end > now, { used, own: 0, end, now }, this.clock.elapsed());
    if (admitted && charge === 1) usage.minute.own += 1;
    return consumed;
  }

  private async ask(usage: ClientUsage, charge: Charge): Promise<Consumed> {
    const consumed = await this.redis.consume(this.membership.id, usage.client, charge);
    this.learn(usage, { minute: NOTHING, day: NOTHING }, consumed);
    return consumed;
  }

  /** Tells Redis what this replica has admitted of a client, and charges a request or not. */
  private async state(usage: ClientUsage, charge: Charge, version = 0, patience?: number): Promise<Consumed> {
    const { generation, id } = this.membership;
    const sent = this.statementsOf(usage, version);
    const consumed = await this.redis.state(id, usage.client, charge, sent, patience);
    this.learn(usage, sent, consumed);
    usage.generation = generation;
    this.cache.settle(usage);
    return consumed;
  }

  private learn(usage: ClientUsage, { minute, day }: Omit<Statements, 'version'>, consumed: Consumed): void {
    const { now, minuteUsed, minuteOwn, minuteEnd, dayUsed, dayOwn, dayEnd } = consumed;
    const elapsed = this.clock.elapsed();
    const minuteReply = { used: minuteUsed, own: minuteOwn, end: minuteEnd, now };
    usage.minute.learn(minute, minute.end > now, minuteReply, elapsed);
    usage.day.learn(day, day.end === dayEnd, { used: dayUsed, own: dayOwn, end: dayEnd, now }, elapsed);
  }

  private statementsOf({ minute, day }: ClientUsage, version: number): Statements {
    const elapsed = this.clock.elapsed();
    return { minute: minute.statement(elapsed), day: day.statement(elapsed), version };
  }

  /** Tells a Redis that may have lost data what this replica has admitted in the minutes that run. */
  async restate(): Promise<void> {
    const usages = [...this.cache.active(this.clock.elapsed()), ...this.cache.pendingUsage()];
    // What Redis says meanwhile does not count: it knows only what some replicas have told.
    await inBatches(usages, (usage) =>
      this.redis.state(this.membership.id, usage.client, 0, this.statementsOf(usage, 0), STATE_TIMEOUT),
    );
  }

  /**
   * Tells Redis what was admitted without it.
   * @param isIdle whether no command is on its way: only then is what this replica knows the whole truth
   * @returns how many clients Redis has heard of
   */
  async statePending(isIdle: boolean): Promise<number> {
    const usages = this.cache.pendingUsage();
    const version = isIdle && this.cache.isComplete ? (this.version += 1) : 0;
    await inBatches(usages, (usage) => this.state(usage, 0, version, STATE_TIMEOUT));
    return usages.length;
  }
}

async function inBatches<T>(all: readonly T[], work: (one: T) => Promise<unknown>): Promise<void> {
  for (let i = 0; i < all.length; i += BATCH) await Promise.all(all.slice(i, i + BATCH).map(work));
}
