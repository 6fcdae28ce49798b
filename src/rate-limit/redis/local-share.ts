import type { Clock } from '../../kernel/clock/clock.js';
import { days } from '../../kernel/clock/duration.js';
import { admits, type Counts, decision } from '../counts.js';
import type { Decision } from '../decision.js';
import type { Account } from '../account.js';
import { Accounts } from '../memory/accounts.js';
import { MINUTE, type Subject, type SubjectId } from '../quota-engine.js';

/** What was admitted without Redis and is to be added there. */
export interface Debt {
  readonly subject: Subject;
  /** Monotonic start of the minute that `minute` belongs to. */
  minuteStart: number;
  minute: number;
  date: number;
  day: number;
}

/**
 * Counts while Redis is away: each replica gives a caller its part of the limit (at least one request), less its
 * part of what it knows to have been used before. Together the replicas then admit no more than the limit of a window
 * that begins meanwhile, and less than twice the limit of one that was running.
 */
export class LocalShare {
  private readonly accounts: Accounts;
  private readonly debts = new Map<SubjectId, Debt>();

  constructor(
    private readonly clock: Clock,
    most: number,
    private readonly replicas: number,
    private readonly knownCounts: (id: SubjectId) => Counts | undefined,
  ) {
    this.accounts = new Accounts(clock, most);
  }

  /** @param owed whether Redis has certainly not counted the request: then it is to hear of it */
  take(subject: Subject, { owed }: { owed: boolean }): Decision {
    const share = this.shareOf(subject);
    const { account, now } = this.account(subject);
    const admitted = admits(share, account);
    if (admitted) {
      account.minuteUsed += 1;
      account.dayUsed += 1;
      // An address's window is over so soon that nothing is owed for it, and a flood of addresses leaves no debts.
      if (owed && subject.limits.perDay !== undefined) this.owe(subject, account);
    }
    return decided(admitted, subject, share, this.accounts.counts(account, subject, now));
  }

  look(subject: Subject): Decision {
    const share = this.shareOf(subject);
    const { account, now } = this.account(subject);
    return decided(admits(share, account), subject, share, this.accounts.counts(account, subject, now));
  }

  /** Takes the debts out, to be paid. */
  settle(): Debt[] {
    const debts = [...this.debts.values()];
    this.debts.clear();
    return debts;
  }

  private shareOf(subject: Subject): Subject {
    const part = (limit: number) => Math.max(1, Math.floor(limit / this.replicas));
    const { perMinute, perDay } = subject.limits;
    return {
      ...subject,
      limits: { perMinute: part(perMinute), perDay: perDay === undefined ? undefined : part(perDay) },
    };
  }

  private account(subject: Subject): { account: Account; now: number } {
    const now = Math.floor(this.clock.elapsed());
    const account = this.accounts.find(subject, now);
    if (account.dayUsed === 0 && account.minuteUsed === 0) this.start(account, subject, now);
    return { account, now };
  }

  /** Goes on from what Redis last said of the caller. */
  private start(account: Account, { id, period = MINUTE }: Subject, now: number): void {
    const counts = this.knownCounts(id);
    if (!counts) return;
    account.dayUsed = Math.ceil(counts.dayUsed / this.replicas);
    if (counts.minuteUsed === 0) return;
    account.minuteUsed = Math.ceil(counts.minuteUsed / this.replicas);
    account.minuteStart = now - Math.floor(period - counts.minuteLeft);
  }

  private owe(subject: Subject, { minuteStart }: Account): void {
    const date = Math.floor(this.clock.now() / days(1));
    let debt = this.debts.get(subject.id);
    if (!debt) this.debts.set(subject.id, (debt = { subject, minuteStart, minute: 0, date, day: 0 }));
    if (debt.minuteStart !== minuteStart) Object.assign(debt, { minuteStart, minute: 0 });
    if (debt.date !== date) Object.assign(debt, { date, day: 0 });
    debt.minute += 1;
    debt.day += 1;
  }
}

/** The caller's own limits, with what is left of this replica's share of them. */
function decided(admitted: boolean, subject: Subject, share: Subject, counts: Counts): Decision {
  const { windows } = decision(admitted, subject, counts);
  const left = decision(admitted, share, counts).windows;
  return {
    admitted,
    windows: windows.map((window, i) => ({ ...window, remaining: left[i]?.remaining ?? 0 })),
  };
}
