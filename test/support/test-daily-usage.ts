import type {
  DailyUsage,
  DailyUsageRepository,
} from '../../src/platform/access/rate-limit/daily-usage/daily-usage.repository.js';

/**
 * The outcome of a statement. `lost` and `late` ones fail for the caller, which cannot tell them apart: the former has
 * run, the latter will run later.
 */
export type Outcome = 'runs' | 'fails' | 'lost' | 'late';

/** Daily counts in memory. A test decides the outcome of each statement. */
export class TestDailyUsage implements Pick<DailyUsageRepository, 'record' | 'sumOfOthers' | 'merge'> {
  reads = 0;
  writes = 0;
  /** Whether reads and writes fail. */
  away = false;
  outcome: () => Outcome = () => 'runs';
  /** By key and day, then by writer. */
  private readonly rows = new Map<string, Map<string, number>>();
  private readonly late: (() => void)[] = [];

  async record(writer: string, counts: readonly DailyUsage[]): Promise<void> {
    await this.settle(() => {
      this.writes += 1;
      for (const { keyId, day, requests } of counts) {
        const row = this.rows.get(`${keyId} ${day}`) ?? new Map<string, number>();
        this.rows.set(`${keyId} ${day}`, row.set(writer, Math.max(row.get(writer) ?? 0, requests)));
      }
    });
  }

  async sumOfOthers(
    writer: string,
    day: number,
    keyIds: readonly DailyUsage['keyId'][],
  ): Promise<Omit<DailyUsage, 'day'>[]> {
    this.reads += 1;
    return this.settle(() =>
      keyIds.map((keyId) => {
        const others = [...(this.rows.get(`${keyId} ${day}`) ?? [])].filter(([other]) => other !== writer);
        return { keyId, requests: sum(others.map(([, requests]) => requests)) };
      }),
    );
  }

  merge(): Promise<void> {
    return Promise.resolve();
  }

  /** Runs the late statements, newest first, because their order is not guaranteed. */
  thaw(): void {
    for (const run of this.late.splice(0).reverse()) run();
  }

  /** The count of each key and day. */
  get counts(): number[] {
    return [...this.rows.values()].map((row) => sum([...row.values()]));
  }

  get total(): number {
    return sum(this.counts);
  }

  private async settle<T>(run: () => T): Promise<T> {
    await Promise.resolve();
    const outcome = this.away ? 'fails' : this.outcome();
    if (outcome === 'late') this.late.push(run);
    const result = outcome === 'runs' || outcome === 'lost' ? run() : undefined;
    if (outcome !== 'runs') throw new Error('PostgreSQL is unavailable');
    return result as T; // it has run
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
