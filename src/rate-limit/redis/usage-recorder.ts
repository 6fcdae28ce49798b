import { Logger } from '@nestjs/common';
import type { Clock } from '../../clock/clock.js';
import { days, seconds } from '../../clock/duration.js';
import type { SubjectId } from '../quota-engine.js';
import type { DayLedger } from '../day-ledger.js';

const WRITE_EVERY = seconds(5);

/**
 * Redis holds the counts that decide; PostgreSQL gets them for the history of usage, some seconds later and in one
 * statement for all keys.
 */
export class UsageRecorder {
  private readonly logger = new Logger(UsageRecorder.name);
  private readonly timer = setInterval(() => void this.write(), WRITE_EVERY).unref();
  private counts = new Map<SubjectId, number>();
  private day = 0;

  constructor(
    private readonly clock: Clock,
    private readonly ledger: DayLedger,
  ) {}

  /** An admitted request of a key. */
  note(keyId: SubjectId): void {
    const day = Math.floor(this.clock.now() / days(1));
    if (day !== this.day) {
      void this.write();
      this.day = day;
    }
    this.counts.set(keyId, (this.counts.get(keyId) ?? 0) + 1);
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.write();
  }

  private async write(): Promise<void> {
    const { counts, day } = this;
    if (counts.size === 0) return;
    this.counts = new Map();
    try {
      await this.ledger.addAll(day, [...counts]);
    } catch (error) {
      this.logger.warn(`Usage could not be written, trying again: ${String(error)}`);
      for (const [id, count] of counts) this.counts.set(id, (this.counts.get(id) ?? 0) + count);
    }
  }
}
