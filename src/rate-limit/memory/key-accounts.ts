import type { Clock } from '../../kernel/clock/clock.js';
import { days } from '../../kernel/clock/duration.js';
import { MINUTE, type SubjectId } from '../quota-engine.js';
import { Account } from './account.js';
import { ShardedMap } from './sharded-map.js';

const DAY = days(1);

/**
 * The accounts of one UTC day. At midnight they become yesterday's, kept only for minutes that still run, and are
 * then dropped as a whole: there is no clean-up that could pause the event loop.
 */
export class KeyAccounts {
  private today = new ShardedMap<Account>();
  private yesterday = new ShardedMap<Account>();
  private turnedAt = 0;
  /** Days since 1970-01-01. */
  day = 0;

  constructor(private readonly clock: Clock) {}

  /** @param now monotonic, in whole milliseconds */
  find(id: SubjectId, now: number): Account {
    this.turnTheDay(now);
    let account = this.today.get(id);
    if (!account) this.today.add(id, (account = this.open(id, now)));
    return account;
  }

  /** Milliseconds until the UTC day ends. */
  get dayLeft(): number {
    return (this.day + 1) * DAY - this.clock.now();
  }

  get size(): number {
    return this.today.size + this.yesterday.size;
  }

  entries(): Generator<[SubjectId, Account]> {
    return this.today.entries();
  }

  private open(id: SubjectId, now: number): Account {
    if (now - this.turnedAt >= MINUTE && this.yesterday.size > 0) this.yesterday = new ShardedMap();
    const before = this.yesterday.get(id);
    return new Account(before?.minuteStart ?? now, before?.minuteUsed ?? 0, 0, 0);
  }

  /** A wall clock that steps back over midnight does not bring the old day back. */
  private turnTheDay(now: number): void {
    const day = Math.floor(this.clock.now() / DAY);
    if (day <= this.day) return;
    this.yesterday = this.today;
    this.today = new ShardedMap();
    this.turnedAt = now;
    this.day = day;
  }
}
