import { randomUUID } from 'node:crypto';
import type { DailyUsage, DailyUsageRepository, UsageChange } from './daily-usage.repository.js';

/**
 * Writes each change of day counts once. A failed statement may have run or may still run: its changes are sent again with
 * the next ones, and PostgreSQL skips those that it has counted.
 */
export class DailyUsageWriter {
  private readonly id = randomUUID();
  private registered = false;
  private sequence = 0;
  private unacknowledged: UsageChange[] = [];

  constructor(private readonly repository: Pick<DailyUsageRepository, 'register' | 'apply'>) {}

  /** Whether the outcome of an earlier write is not known. */
  get isInDoubt(): boolean {
    return this.unacknowledged.length > 0;
  }

  /**
   * Call it again only when the last call has settled. After a failure the changes are kept for the next call.
   * @returns the counts of the keys and days of all changes sent
   */
  async write(changes: readonly DailyUsage[]): Promise<DailyUsage[]> {
    for (const change of changes) {
      this.sequence += 1;
      this.unacknowledged.push({ ...change, sequence: this.sequence });
    }
    if (!this.registered) await this.repository.register(this.id);
    this.registered = true;
    const counts = await this.repository.apply(this.id, this.unacknowledged);
    this.unacknowledged = [];
    return counts;
  }
}
