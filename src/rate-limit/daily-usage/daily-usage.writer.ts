import { randomUUID } from 'node:crypto';
import type { DailyUsage, DailyUsageRepository, UsageChange } from './daily-usage.repository.js';

/**
 * Writes changes of day counts, each of them once. A statement that failed may have run, or may still run: its changes are
 * sent again together with the next ones, and PostgreSQL leaves out those that it has counted.
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
   * To be called again only when the last call has settled. After a failure the changes are kept here.
   * @returns the counts of the keys and days of these changes, and of those that were kept
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
