import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Config } from '../../kernel/config/config.js';
import { admits, decision } from '../counts.js';
import type { Decision } from '../decision.js';
import { PlanThrottlerStorage, type RateLimitClient } from '../plan-throttler.storage.js';
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

  consume(client: RateLimitClient): Decision | Promise<Decision> {
    const now = this.now();
    const account = this.accounts.find(client, now);
    const admitted = admits(client, account);
    if (admitted) {
      if (client.limits.perDay !== undefined) {
        const wait = this.reservations.reserve(client.id, this.day, account, client.limits.perDay);
        if (wait) return wait.then(() => this.consume(client));
      }
      account.minuteUsed += 1;
      account.dayUsed += 1;
    }
    return decision(admitted, client, this.accounts.counts(account, client, now));
  }

  peek(client: RateLimitClient): Decision | Promise<Decision> {
    const now = this.now();
    const account = this.accounts.find(client, now);
    const unread = client.limits.perDay !== undefined && account.reserved === 0 && account.dayUsed === 0;
    const settled = () =>
      decision(admits(client, account), client, this.accounts.counts(account, client, now));
    const wait = unread ? this.reservations.read(client.id, this.day, account) : undefined;
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
