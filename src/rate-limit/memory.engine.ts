import { Injectable } from '@nestjs/common';
import { Clock } from '../clock/clock.js';
import { days, minutes } from '../clock/duration.js';
import type { Decision, Outcome, QuotaWindow } from './decision.js';
import { QuotaEngine, type Subject } from './quota-engine.js';

const MINUTE = minutes(1);
const DAY = days(1);

/** What one caller has used. A minute starts at the caller's first request in it and is measured without the wall clock. */
interface Account {
  minuteStart: number;
  minuteUsed: number;
  dayUsed: number;
}

/**
 * Counts in this process's memory: no waiting and no I/O. Accounts belong to one UTC day. At midnight they become
 * yesterday's, kept only for minutes that are still running, and the day after they are dropped as a whole: there
 * is no clean-up that could pause the event loop.
 */
@Injectable()
export class MemoryEngine extends QuotaEngine {
  private today = new Map<string, Account>();
  private yesterday = new Map<string, Account>();
  private day = 0;

  constructor(private readonly clock: Clock) {
    super();
  }

  take(subject: Subject): Decision {
    const account = this.account(subject.id);
    const outcome = this.outcome(account, subject);
    if (outcome === 'admitted') {
      account.minuteUsed += 1;
      account.dayUsed += 1;
    }
    return { outcome, windows: this.windows(account, subject) };
  }

  look(subject: Subject): Decision {
    const account = this.account(subject.id);
    return { outcome: this.outcome(account, subject), windows: this.windows(account, subject) };
  }

  private outcome(account: Account, { limits }: Subject): Outcome {
    if (limits.perDay !== undefined && account.dayUsed >= limits.perDay) return 'day_exhausted';
    return account.minuteUsed >= limits.perMinute ? 'minute_exhausted' : 'admitted';
  }

  /** The caller's account, with a fresh minute where the last one is over. */
  private account(id: string): Account {
    this.turnTheDay();
    const now = this.clock.elapsed();
    let account = this.today.get(id);
    if (!account) {
      const before = this.yesterday.get(id);
      account = { minuteStart: before?.minuteStart ?? now, minuteUsed: before?.minuteUsed ?? 0, dayUsed: 0 };
      this.today.set(id, account);
    }
    if (account.minuteUsed === 0 || now - account.minuteStart >= MINUTE) {
      account.minuteStart = now;
      account.minuteUsed = 0;
    }
    return account;
  }

  /** A clock that steps back over midnight does not bring the old day back. */
  private turnTheDay(): void {
    const day = Math.floor(this.clock.now() / DAY);
    if (day <= this.day) return;
    this.yesterday = day === this.day + 1 ? this.today : new Map<string, Account>();
    this.today = new Map();
    this.day = day;
  }

  private windows(account: Account, { limits }: Subject): QuotaWindow[] {
    const minute: QuotaWindow = {
      name: 'minute',
      limit: limits.perMinute,
      remaining: Math.max(0, limits.perMinute - account.minuteUsed),
      resetIn: account.minuteStart + MINUTE - this.clock.elapsed(),
    };
    if (limits.perDay === undefined) return [minute];
    return [
      minute,
      {
        name: 'day',
        limit: limits.perDay,
        remaining: Math.max(0, limits.perDay - account.dayUsed),
        resetIn: (this.day + 1) * DAY - this.clock.now(),
      },
    ];
  }
}
