import type { Clock } from '../../kernel/clock/clock.js';
import { days } from '../../kernel/clock/duration.js';
import { MINUTE, type ClientId } from '../plan-throttler.storage.js';
import { Account } from '../account.js';
import { ShardedMap } from './sharded-map.js';

const DAY = days(1);

/** The accounts of a UTC day that is not the current one. */
interface RetiredDay {
  readonly day: number;
  readonly accounts: ShardedMap<Account>;
  /** Monotonic, in milliseconds. */
  readonly since: number;
}

/**
 * The accounts of one UTC day. At midnight they are retired, kept for a minute because of the minutes that still run, and
 * then dropped as a whole: there is no clean-up that could pause the event loop. A wall clock that is set back finds the
 * accounts of that day again, or its counts in the ledger.
 */
export class KeyAccounts {
  private accounts = new ShardedMap<Account>();
  private retired: RetiredDay[] = [];
  /** Days since 1970-01-01. */
  day = NaN;

  constructor(private readonly clock: Clock) {}

  /** @param now monotonic, in whole milliseconds */
  find(id: ClientId, now: number): Account {
    const day = Math.floor(this.clock.now() / DAY);
    if (day !== this.day) this.turn(day, now);
    let account = this.accounts.get(id);
    if (!account) this.accounts.add(id, (account = new Account(now, 0, 0, 0)));
    if (this.retired.length > 0) this.carryMinute(id, account, now);
    return account;
  }

  /** When the UTC day ends: Unix milliseconds. */
  get dayEnd(): number {
    return (this.day + 1) * DAY;
  }

  get size(): number {
    return this.retired.reduce((sum, { accounts }) => sum + accounts.size, this.accounts.size);
  }

  entries(): Generator<[ClientId, Account]> {
    return this.accounts.entries();
  }

  /** A minute goes on over the end of a day. */
  private carryMinute(id: ClientId, account: Account, now: number): void {
    this.retired = this.retired.filter(({ since }) => now - since < MINUTE);
    for (const { accounts } of this.retired) {
      const before = accounts.get(id);
      if (!before || now - before.minuteStart >= MINUTE) continue;
      if (now - account.minuteStart < MINUTE && account.minuteUsed >= before.minuteUsed) continue;
      account.minuteStart = before.minuteStart;
      account.minuteUsed = before.minuteUsed;
    }
  }

  private turn(day: number, now: number): void {
    const before = this.retired.find((retired) => retired.day === day);
    this.retired = this.retired.filter((retired) => retired !== before);
    this.retired.push({ day: this.day, accounts: this.accounts, since: now });
    this.accounts = before?.accounts ?? new ShardedMap();
    this.day = day;
  }
}
