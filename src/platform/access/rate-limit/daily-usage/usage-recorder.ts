import { Logger } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../../kernel/clock/clock.js';
import { minutes, withTimeout, seconds } from '../../../kernel/clock/duration.js';
import { PeriodicTasks } from '../../../kernel/clock/periodic-tasks.js';
import type { DailyUsage, DailyUsageRepository } from './daily-usage.repository.js';

type KeyId = DailyUsage['keyId'];

const WRITE_EVERY = seconds(1);
const READ_TIMEOUT = seconds(1);
const READ_AGAIN_AFTER = seconds(1);
const MERGE_EVERY = minutes(10);
const MAX_COUNTS = 10_000; // in one statement
/** How long a shutdown keeps trying to record the counts. */
const CLOSE_TIMEOUT = seconds(1);

/**
 * This process's counts for one day. If the clock returns to a day, it gets a new writer, because its counts
 * start at 0.
 */
class OwnDay {
  readonly writer = randomUUID();
  readonly counts = new Map<KeyId, number>();
  /** Keys whose counts have not been recorded yet. */
  readonly changed = new Set<KeyId>();
}

interface Reading {
  readonly keyIds: Set<KeyId>;
  readonly sums: Promise<ReadonlyMap<string, number> | undefined>;
}

/**
 * Counts this process's admitted requests for each key and UTC day, and records changed counts once a second.
 * Counts are absolute, so a statement with an unknown outcome can simply be repeated.
 */
export class UsageRecorder {
  private readonly logger = new Logger(UsageRecorder.name);
  private readonly tasks = PeriodicTasks.warning(UsageRecorder.name, 'record daily counts');
  private readonly days = new Map<number, OwnDay>();
  private readonly readings = new Map<number, Reading>();
  private readAgainAt = -Infinity;
  private latest = NaN;
  /** Records all changes. What cannot be recorded is kept for the next run. */
  readonly write = this.tasks.add(WRITE_EVERY, () => this.writeAll(), 'recordUsage');

  constructor(
    private readonly clock: Clock,
    private readonly repository: Pick<DailyUsageRepository, 'record' | 'sumOfOthers' | 'merge'>,
  ) {
    this.tasks.add(MERGE_EVERY, () => repository.merge(), 'mergeUsage');
  }

  /** Counts an admitted request. @param day days since 1970-01-01 */
  add(keyId: KeyId, day: number): void {
    const { counts, changed } = this.dayOf(day);
    counts.set(keyId, (counts.get(keyId) ?? 0) + 1);
    changed.add(keyId);
  }

  /** The count of this process. */
  own(keyId: KeyId, day: number): number {
    return this.days.get(day)?.counts.get(keyId) ?? 0;
  }

  /**
   * Reads the recorded counts of other writers. Calls in the same pass of the event loop share a query.
   * @returns undefined, synchronously or later, while PostgreSQL is unavailable
   */
  others(keyId: KeyId, day: number): Promise<number | undefined> | undefined {
    if (this.clock.elapsed() < this.readAgainAt) return undefined;
    let reading = this.readings.get(day);
    if (!reading) {
      const keyIds = new Set<KeyId>();
      this.readings.set(day, (reading = { keyIds, sums: this.read(day, keyIds) }));
    }
    reading.keyIds.add(keyId);
    return reading.sums.then((sums) => sums && (sums.get(String(keyId)) ?? 0));
  }

  async close(): Promise<void> {
    if (!(await this.tasks.stopAfter(this.write, CLOSE_TIMEOUT)))
      this.logger.error('Shutting down without recording the latest daily counts.');
  }

  private async writeAll(): Promise<void> {
    for (const [day, own] of this.days) await this.writeDay(day, own);
  }

  private async writeDay(day: number, { writer, counts, changed }: OwnDay): Promise<void> {
    while (changed.size > 0) {
      const sent: DailyUsage[] = [];
      for (const keyId of changed) {
        if (sent.push({ keyId, day, requests: counts.get(keyId) ?? 0 }) === MAX_COUNTS) break;
      }
      await this.repository.record(writer, sent);
      this.readAgainAt = -Infinity; // PostgreSQL is available again
      for (const { keyId, requests } of sent) if (counts.get(keyId) === requests) changed.delete(keyId);
      if (sent.length < MAX_COUNTS) break; // anything counted in the meantime waits for the next second
    }
    if (changed.size === 0 && day !== this.latest) this.days.delete(day);
  }

  private async read(
    day: number,
    keyIds: ReadonlySet<KeyId>,
  ): Promise<ReadonlyMap<string, number> | undefined> {
    await setImmediate();
    this.readings.delete(day);
    try {
      const reading = this.repository.sumOfOthers(this.dayOf(day).writer, day, [...keyIds]);
      const sums = await withTimeout(reading, READ_TIMEOUT);
      return new Map(sums.map(({ keyId, requests }) => [String(keyId), requests]));
    } catch (error) {
      this.logger.debug(`Could not read today's usage; retrying: ${String(error)}`);
      this.readAgainAt = this.clock.elapsed() + READ_AGAIN_AFTER;
      return undefined;
    }
  }

  private dayOf(day: number): OwnDay {
    let own = this.days.get(day);
    if (!own) this.days.set(day, (own = new OwnDay()));
    this.latest = day;
    return own;
  }
}
