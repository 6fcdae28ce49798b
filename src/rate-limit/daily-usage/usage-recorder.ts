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
/** How long a stop tries to record the counts. */
const CLOSE_TIMEOUT = seconds(2);
const CLOSE_RETRY_AFTER = seconds(0.25);

/** What this process has counted of one day. A day that comes back has another writer, because its counts start anew. */
class OwnDay {
  readonly writer = randomUUID();
  readonly counts = new Map<ClientId, number>();
  /** The keys whose counts are to be recorded. */
  readonly changed = new Set<ClientId>();
}

interface Reading {
  readonly keyIds: Set<ClientId>;
  readonly sums: Promise<ReadonlyMap<string, number> | undefined>;
}

/**
 * Counts the admitted requests of this process for each key and UTC day, and records once a second the counts that have
 * changed. A count is an absolute number, so a statement whose outcome is not known is simply sent again.
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

  /** What this process has counted. */
  own(keyId: ClientId, day: number): number {
    return this.days.get(day)?.counts.get(keyId) ?? 0;
  }

  /**
   * Reads what other writers have on record. Keys of one turn of the event loop share a query.
   * @returns undefined, at once or later, while PostgreSQL is unavailable
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
    if (this.failing) this.logger.error('The last day counts are not recorded.');
  }

  private async writeUntil(end: number): Promise<void> {
    await this.writing; // may have begun before the last request
    while (!(await this.write()) && performance.now() < end) await delay(CLOSE_RETRY_AFTER);
  }

  /** Records all that has changed; what cannot be recorded is kept. @returns whether it is recorded */
  write(): Promise<boolean> {
    this.writing ??= this.writeAll().finally(() => (this.writing = undefined));
    return this.writing;
  }

  private async writeAll(): Promise<boolean> {
    try {
      for (const [day, own] of this.days) await this.writeDay(day, own);
      if (this.failing) this.logger.log('Day counts are recorded again.');
      this.failing = false;
      await this.mergeSometimes();
      return true;
    } catch (error) {
      if (!this.failing) this.logger.warn(`Day counts are recorded later: ${String(error)}`);
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
      this.readAgainAt = -Infinity; // PostgreSQL is available
      for (const { keyId, requests } of sent) if (counts.get(keyId) === requests) changed.delete(keyId);
      if (sent.length < MAX_COUNTS) break; // what was counted meanwhile is for the next second
    }
    if (changed.size === 0 && day !== this.latest) this.days.delete(day);
  }

  private async mergeSometimes(): Promise<void> {
    const now = this.clock.elapsed();
    if (now < this.mergeAt) return;
    this.mergeAt = now + MERGE_EVERY;
    await this.repository.merge().catch((error: unknown) => {
      this.logger.debug(`Ended days are added up later: ${String(error)}`);
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
      this.logger.debug(`What a key has used today is read later: ${String(error)}`);
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
