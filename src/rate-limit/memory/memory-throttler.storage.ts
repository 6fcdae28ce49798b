import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Config } from '../../kernel/config/config.js';
import { admits, decision } from '../counts.js';
import type { Decision } from '../decision.js';
import { PlanThrottlerStorage, type Subject } from '../plan-throttler.storage.js';
import { Accounts } from './accounts.js';
import { DailyReservations } from '../daily-usage/daily-reservations.js';
import type { DailyUsageWriter } from '../daily-usage/daily-usage.writer.js';

/**
 * Counts in this process's memory. A decision waits for nothing, but for the first one of a key (its day so far is
 * on record in PostgreSQL) and for one that overtakes the reservation made ahead of it.
 */
@Injectable()
export class MemoryThrottlerStorage extends PlanThrottlerStorage implements OnApplicationShutdown {
  private readonly accounts: Accounts;
  private readonly reservations: DailyReservations;

  constructor(
    private readonly clock: Clock,
    writer: DailyUsageWriter,
    { maxAnonymousAddresses }: Config,
  ) {
    super();
    this.accounts = new Accounts(clock, maxAnonymousAddresses);
    this.reservations = new DailyReservations(writer);
  }

  consume(subject: Subject): Decision | Promise<Decision> {
    const now = this.now();
    const account = this.accounts.find(subject, now);
    const admitted = admits(subject, account);
    if (admitted) {
      if (subject.limits.perDay !== undefined) {
        const wait = this.reservations.reserve(subject.id, this.day, account, subject.limits.perDay);
        if (wait) return wait.then(() => this.consume(subject));
      }
      account.minuteUsed += 1;
      account.dayUsed += 1;
    }
    return decision(admitted, subject, this.accounts.counts(account, subject, now));
  }

  peek(subject: Subject): Decision | Promise<Decision> {
    const now = this.now();
    const account = this.accounts.find(subject, now);
    const unread = subject.limits.perDay !== undefined && account.reserved === 0 && account.dayUsed === 0;
    const settled = () =>
      decision(admits(subject, account), subject, this.accounts.counts(account, subject, now));
    const wait = unread ? this.reservations.read(subject.id, this.day, account) : undefined;
    return wait ? wait.then(settled) : settled();
  }

  /** Gives back what was reserved and not used, so that the next start goes on with the exact count. */
  async onApplicationShutdown(): Promise<void> {
    await this.reservations.close(this.day, this.accounts.keys.entries());
  }

  /** Callers that are remembered at the moment. */
  get size(): number {
    return this.accounts.size;
  }

  private get day(): number {
    return this.accounts.keys.day;
  }

  /** Monotonic, so that a corrected wall clock makes no minute longer or shorter. */
  private now(): number {
    return Math.floor(this.clock.elapsed());
  }
}
