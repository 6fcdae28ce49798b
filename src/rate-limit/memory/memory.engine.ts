import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Config } from '../../kernel/config/config.js';
import { admits, decision } from '../counts.js';
import type { Decision } from '../decision.js';
import { QuotaEngine, type Subject, type SubjectId } from '../quota-engine.js';
import type { Account } from './account.js';
import { Accounts } from './accounts.js';
import { DayLedger } from '../day-ledger.js';
import { blockOf, DayReservations } from './day-reservations.js';

const WRITTEN_AT_ONCE = 1_000;

/**
 * Counts in this process's memory. A decision waits for nothing, but for the first one of a key (its day so far is
 * on record in PostgreSQL) and for one that overtakes the reservation made ahead of it.
 */
@Injectable()
export class MemoryEngine extends QuotaEngine implements OnApplicationShutdown {
  private readonly accounts: Accounts;
  private readonly reservations: DayReservations;

  constructor(
    private readonly clock: Clock,
    private readonly ledger: DayLedger,
    { mostAddresses }: Config,
  ) {
    super();
    this.accounts = new Accounts(clock, mostAddresses);
    this.reservations = new DayReservations(ledger);
  }

  take(subject: Subject): Decision | Promise<Decision> {
    const now = this.now();
    const account = this.accounts.find(subject, now);
    const admitted = admits(subject, account);
    if (admitted) {
      if (subject.limits.perDay !== undefined) {
        const wait = this.onRecord(subject.id, account, subject.limits.perDay);
        if (wait) return wait.then(() => this.take(subject));
      }
      account.minuteUsed += 1;
      account.dayUsed += 1;
    }
    return decision(admitted, subject, this.accounts.counts(account, subject, now));
  }

  look(subject: Subject): Decision | Promise<Decision> {
    const now = this.now();
    const account = this.accounts.find(subject, now);
    const unread = subject.limits.perDay !== undefined && account.reserved === 0 && account.dayUsed === 0;
    const settled = () =>
      decision(admits(subject, account), subject, this.accounts.counts(account, subject, now));
    return unread ? this.reservations.extend(subject.id, this.day, account, 0).then(settled) : settled();
  }

  /** Gives back what was reserved and not used, so that the next start goes on with the exact count. */
  async onApplicationShutdown(): Promise<void> {
    const unused = [...this.accounts.keys.entries()]
      .filter(([, { reserved, dayUsed }]) => reserved !== dayUsed)
      .map(([id, { reserved, dayUsed }]) => [id, dayUsed - reserved] as const);
    for (let i = 0; i < unused.length; i += WRITTEN_AT_ONCE) {
      await this.ledger.addAll(this.day, unused.slice(i, i + WRITTEN_AT_ONCE));
    }
  }

  /** Callers that are remembered at the moment. */
  get size(): number {
    return this.accounts.size;
  }

  /** Sees to it that the next request is on record before it is admitted, and the ones after it ahead of time. */
  private onRecord(id: SubjectId, account: Account, perDay: number): Promise<void> | undefined {
    const block = blockOf(perDay);
    const ahead = account.reserved - account.dayUsed;
    if (ahead * 2 > block || (ahead > 0 && account.reserved >= perDay)) return undefined;
    const reservation = this.reservations.extend(id, this.day, account, block);
    return ahead > 0 ? undefined : reservation;
  }

  private get day(): number {
    return this.accounts.keys.day;
  }

  /** Monotonic, so that a corrected wall clock makes no minute longer or shorter. */
  private now(): number {
    return Math.floor(this.clock.elapsed());
  }
}
