import { Logger } from '@nestjs/common';
import type { Clock } from '../../kernel/clock/clock.js';
import { days, seconds } from '../../kernel/clock/duration.js';
import type { SubjectId } from '../quota-engine.js';
import type { DayLedger } from '../day-ledger.js';

const WRITE_EVERY = seconds(5);

/**
 * Redis holds the counts that decide; PostgreSQL gets them for the history of usage, some seconds later and in one
 * statement for all keys of a day.
 */
export class UsageRecorder {
  private readonly logger = new Logger(UsageRecorder.name);
  private readonly timer = setInterval(() => void this.write(), WRITE_EVERY).unref();
  /** By day, since a write may have to be tried again after midnight. */
  private readonly counts = new Map<number, Map<SubjectId, number>>();

  constructor(
    private readonly clock: Clock,
    private readonly ledger: Pick<DayLedger, 'addAll'>,
  ) {}

  /** An admitted request of a key. */
  note(keyId: SubjectId): void {
    this.add(Math.floor(this.clock.now() / days(1)), keyId, 1);
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.write();
  }

  private add(day: number, keyId: SubjectId, requests: number): void {
    let counts = this.counts.get(day);
    if (!counts) this.counts.set(day, (counts = new Map<SubjectId, number>()));
    counts.set(keyId, (counts.get(keyId) ?? 0) + requests);
  }

  private async write(): Promise<void> {
    for (const [day, counts] of [...this.counts]) {
      this.counts.delete(day);
      try {
        await this.ledger.addAll(day, [...counts]);
      } catch (error) {
        this.logger.warn(`Usage could not be written, trying again: ${String(error)}`);
        for (const [keyId, requests] of counts) this.add(day, keyId, requests);
      }
    }
  }
}
