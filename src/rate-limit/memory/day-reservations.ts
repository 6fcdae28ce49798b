import { Logger } from '@nestjs/common';
import type { SubjectId } from '../quota-engine.js';
import type { Account } from './account.js';
import type { DayLedger } from '../day-ledger.js';

/** Reserved at a time: this part of the day's limit. A killed process costs a caller at most one and a half of these. */
const BLOCK_SHARE = 0.01;

export const blockOf = (perDay: number): number => Math.ceil(perDay * BLOCK_SHARE);

/**
 * Puts day counts on record before they are used: a process that is killed can then forget no request, it can only
 * remember some that were never made. Of many callers who wait for the same key's reservation, one asks.
 */
export class DayReservations {
  private readonly logger = new Logger(DayReservations.name);
  private readonly pending = new Map<SubjectId, Promise<void>>();
  /** What was counted without a record, by account: it disappears with the account. */
  private readonly unrecorded = new WeakMap<Account, number>();
  private away = false;

  constructor(private readonly ledger: Pick<DayLedger, 'add'>) {}

  /**
   * Reserves `requests` more of a key's day. While the ledger is away the account goes on without a record; what it
   * used meanwhile is put on record with the next reservation that succeeds.
   */
  extend(keyId: SubjectId, day: number, account: Account, requests: number): Promise<void> {
    let reservation = this.pending.get(keyId);
    if (!reservation) {
      reservation = this.reserve(keyId, day, account, requests).finally(() => this.pending.delete(keyId));
      this.pending.set(keyId, reservation);
    }
    return reservation;
  }

  private async reserve(keyId: SubjectId, day: number, account: Account, requests: number): Promise<void> {
    const owed = this.unrecorded.get(account) ?? 0;
    try {
      const onRecord = await this.ledger.add(keyId, day, requests + owed);
      // More than expected: a process before this one, or beside it, has used that.
      account.dayUsed += Math.max(0, onRecord - (account.reserved + requests));
      account.reserved = onRecord;
      this.unrecorded.delete(account);
      if (this.away) this.logger.log('Day counts are recorded again.');
      this.away = false;
    } catch (error) {
      if (!this.away) this.logger.warn(`Day counts cannot be recorded for now: ${String(error)}`);
      this.away = true;
      account.reserved += requests;
      this.unrecorded.set(account, owed + requests);
    }
  }
}
