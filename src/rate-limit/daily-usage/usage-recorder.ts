import { Logger } from '@nestjs/common';
import type { Clock } from '../../kernel/clock/clock.js';
import { days, seconds } from '../../kernel/clock/duration.js';
import type { ClientId } from '../plan-throttler.storage.js';
import type { DailyUsage } from './daily-usage.repository.js';
import type { DailyUsageWriter } from './daily-usage.writer.js';

const WRITE_EVERY = seconds(5);
const MAX_CHANGES = 10_000; // in one statement

/**
 * Writes the usage history to PostgreSQL every 5 s, for all keys in few statements, while Redis holds the counts that
 * decide.
 */
export class UsageRecorder {
  private readonly logger = new Logger(UsageRecorder.name);
  private readonly timer = setInterval(() => void this.write(), WRITE_EVERY).unref();
  /** By day: a write may be late and happen after midnight. */
  private readonly counts = new Map<number, Map<ClientId, number>>();
  private writing?: Promise<void>;

  constructor(
    private readonly clock: Clock,
    private readonly writer: DailyUsageWriter,
  ) {}

  /** An admitted request of a key. */
  note(keyId: ClientId): void {
    const day = Math.floor(this.clock.now() / days(1));
    let counts = this.counts.get(day);
    if (!counts) this.counts.set(day, (counts = new Map<ClientId, number>()));
    counts.set(keyId, (counts.get(keyId) ?? 0) + 1);
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.write();
    await this.write(); // what was noted during the last write
  }

  /** Keeps what cannot be written. */
  write(): Promise<void> {
    this.writing ??= this.writeAll().finally(() => (this.writing = undefined));
    return this.writing;
  }

  private async writeAll(): Promise<void> {
    try {
      if (this.writer.isInDoubt) await this.writer.write([]);
      for (let changes = this.next(); changes.length > 0; changes = this.next())
        await this.writer.write(changes);
    } catch (error) {
      this.logger.warn(`Usage is written later: ${String(error)}`);
    }
  }

  /** Removes the changes of the next statement from the counts. */
  private next(): DailyUsage[] {
    const changes: DailyUsage[] = [];
    for (const [day, counts] of this.counts) {
      for (const [keyId, requests] of counts) {
        if (changes.length === MAX_CHANGES) return changes;
        changes.push({ keyId, day, requests });
        counts.delete(keyId);
      }
      this.counts.delete(day);
    }
    return changes;
  }
}
