import type {
  DailyUsage,
  DailyUsageRepository,
  UsageChange,
} from '../../src/rate-limit/daily-usage/daily-usage.repository.js';

/** What becomes of a statement: `lost` and `late` ones fail for the caller, who cannot know which of them it was. */
export type Outcome = 'runs' | 'fails' | 'lost' | 'late';

/** Day counts in memory, of which a test decides what becomes of each statement. */
export class TestDailyUsage implements Pick<DailyUsageRepository, 'register' | 'apply'> {
  readonly counts = new Map<string, number>();
  writes = 0;
  /** Whether nothing can be written. */
  away = false;
  outcome: () => Outcome = () => 'runs';
  private readonly sequences = new Map<string, number>();
  private readonly late: (() => void)[] = [];

  async register(): Promise<void> {
    await this.settle(() => undefined);
  }

  async apply(writer: string, changes: readonly UsageChange[]): Promise<DailyUsage[]> {
    const copy = [...changes];
    return this.settle(() => this.run(writer, copy));
  }

  /** Runs what was to run late, in any order. */
  thaw(): void {
    for (const run of this.late.splice(0).reverse()) run();
  }

  get total(): number {
    return [...this.counts.values()].reduce((sum, count) => sum + count, 0);
  }

  private async settle<T>(run: () => T): Promise<T> {
    await Promise.resolve();
    const outcome = this.away ? 'fails' : this.outcome();
    if (outcome === 'late') this.late.push(run);
    const result = outcome === 'runs' || outcome === 'lost' ? run() : undefined;
    if (outcome !== 'runs') throw new Error('PostgreSQL is unavailable');
    return result as T;
  }

  private run(writer: string, changes: readonly UsageChange[]): DailyUsage[] {
    this.writes += 1;
    const last = this.sequences.get(writer) ?? 0;
    for (const { keyId, day, requests, sequence } of changes) {
      const key = `${keyId} ${day}`;
      this.counts.set(key, (this.counts.get(key) ?? 0) + (sequence > last ? requests : 0));
    }
    this.sequences.set(writer, Math.max(last, ...changes.map(({ sequence }) => sequence)));
    return changes.map(({ keyId, day }) => ({
      keyId,
      day,
      requests: this.counts.get(`${keyId} ${day}`) ?? 0,
    }));
  }
}
