import { Logger } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../kernel/clock/clock.js';
import { hours, resultWithin, seconds } from '../../kernel/clock/duration.js';
import type { ClientId } from '../rate-limit-client.js';
import type { DailyUsage, DailyUsageRepository } from './daily-usage.repository.js';

const WRITE_EVERY = seconds(1);
const READ_AGAIN_AFTER = seconds(1);
const MERGE_EVERY = hours(1);
const MAX_COUNTS = 10_000; // in one statement
/** How long a shutdown keeps trying to record the counts. */
const CLOSE_TIMEOUT = seconds(2);
const CLOSE_RETRY_AFTER = seconds(0.25);

/**
 * This process's counts for one day. If the clock returns to a day, it gets a new writer, because its counts start at
 * 0.
 */
class OwnDay {
  readonly writer = randomUUID();
  readonly counts = new Map<ClientId, number>();
  /** Keys whose counts have not been recorded yet. */
  readonly changed = new Set<ClientId>();
}

interface Reading {
  readonly keyIds: Set<ClientId>;
  readonly sums: Promise<ReadonlyMap<string, number> | undefined>;
}

/**
 * Counts this process's admitted requests for each key and UTC day, and records changed counts once a second. Counts
 * are absolute, so a statement with an unknown outcome can simply be repeated.
 */
export class UsageRecorder {
  private readonly logger = new Logger(UsageRecorder.name);
  private readonly timer = setInterval(() => void this.write(), WRITE_EVERY).unref();
  private readonly days = new Map<number, OwnDay>();
  private readonly readings = new Map<number, Reading>();
  private writing?: Promise<boolean>;
  private failing = false;
  private readAgainAt = -Infinity;
  private mergeAt = -Infinity;
  private latest = NaN;

  constructor(
    private readonly clock: Clock,
    private readonly repository: Pick<DailyUsageRepository, 'record' | 'sumOfOthers' | 'merge'>,
  ) {}

  /** Counts an admitted request. @param day days since 1970-01-01 */
  add(keyId: ClientId, day: number): void {
    const { counts, changed } = this.dayOf(day);
    counts.set(keyId, (counts.get(keyId) ?? 0) + 1);
    changed.add(keyId);
  }

  /** The count of this process. */
  own(keyId: ClientId, day: number): number {
    return this.days.get(day)?.counts.get(keyId) ?? 0;
  }

  /**
   * Reads the recorded counts of other writers. Calls in the same turn of the event loop share a query.
   * @returns undefined, synchronously or later, while PostgreSQL is unavailable
   */
  others(keyId: ClientId, day: number): Promise<number | undefined> | undefined {
    if (this.clock.elapsed() < this.readAgainAt) return undefined;
    let reading = this.readings.get(day);
    if (!reading) {
      const keyIds = new Set<ClientId>();
      this.readings.set(day, (reading = { keyIds, sums: this.read(day, keyIds) }));
    }
    reading.keyIds.add(keyId);
    return reading.sums.then((sums) => sums && (sums.get(String(keyId)) ?? 0));
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await resultWithin(CLOSE_TIMEOUT, this.writeUntil(performance.now() + CLOSE_TIMEOUT));
    if (this.hasUnrecorded) this.logger.error('Shutting down without recording the latest daily counts.');
  }

  private get hasUnrecorded(): boolean {
    return [...this.days.values()].some(({ changed }) => changed.size > 0);
  }

  private async writeUntil(end: number): Promise<void> {
    await this.writing; // a running write may have started before the last request
    while (!(await this.write()) && performance.now() < end) await delay(CLOSE_RETRY_AFTER);
  }

  /** Records all changes. What cannot be recorded is kept for the next try. @returns whether everything was recorded */
  write(): Promise<boolean> {
    this.writing ??= this.writeAll().finally(() => (this.writing = undefined));
    return this.writing;
  }

  private async writeAll(): Promise<boolean> {
    try {
      for (const [day, own] of this.days) await this.writeDay(day, own);
      if (this.failing) this.logger.log('Daily counts are being recorded again.');
      this.failing = false;
      await this.mergeSometimes();
      return true;
    } catch (error) {
      if (!this.failing) this.logger.warn(`Could not record daily counts; retrying: ${String(error)}`);
      this.failing = true;
      return false;
    }
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

  private async mergeSometimes(): Promise<void> {
    const now = this.clock.elapsed();
    if (now < this.mergeAt) return;
    this.mergeAt = now + MERGE_EVERY;
    await this.repository.merge().catch((error: unknown) => {
      this.logger.debug(`Could not merge the counts of past days; retrying later: ${String(error)}`);
    });
  }

  private async read(
    day: number,
    keyIds: ReadonlySet<ClientId>,
  ): Promise<ReadonlyMap<string, number> | undefined> {
    await setImmediate();
    this.readings.delete(day);
    try {
      const sums = await this.repository.sumOfOthers(this.dayOf(day).writer, day, [...keyIds]);
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
