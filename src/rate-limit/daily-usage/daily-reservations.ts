import { Logger } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { seconds } from '../../kernel/clock/duration.js';
import type { WindowCounter } from '../window-counts.js';
import type { ClientId } from '../plan-throttler.storage.js';
import type { DailyUsageWriter } from './daily-usage.writer.js';

/** The part of a day's limit that is reserved at a time. A killed process costs a key at most one and a half of them. */
const BLOCK_SHARE = 0.01;
const RETRY_AFTER = seconds(1);
const MAX_CHANGES = 1_000; // in one statement
/** How long a stop tries to record the counts. */
const CLOSE_TIMEOUT = seconds(2);
const CLOSE_RETRY_AFTER = seconds(0.25);

const blockOf = (perDay: number): number => Math.ceil(perDay * BLOCK_SHARE);

interface Reservation {
  readonly keyId: ClientId;
  readonly day: number;
  readonly counter: WindowCounter;
  readonly block: number;
  /** Sent and not acknowledged. */
  sent: number;
  /** Called when the outcome is known or PostgreSQL is unavailable. */
  waiting: (() => void)[];
}

/**
 * Records day counts in PostgreSQL before they are used: a killed process loses no request, it can only count some that
 * were never made. One statement at a time writes all that is due. While PostgreSQL is unavailable the counters go on, and
 * what they use is recorded later.
 */
export class DailyReservations {
  private readonly logger = new Logger(DailyReservations.name);
  private readonly reservations = new Map<WindowCounter, Reservation>();
  private due: Reservation[] = [];
  /** Those of the statement whose outcome is not known. */
  private sent: Reservation[] = [];
  private writing?: Promise<void>;
  private unavailable = false;
  private closing = false;
  private retry?: NodeJS.Timeout;

  constructor(private readonly writer: DailyUsageWriter) {}

  /**
   * Reserves the next request of a key, and further ones ahead of time.
   * @returns what the next request has to wait for, if anything
   */
  reserve(keyId: ClientId, day: number, counter: WindowCounter, perDay: number): Promise<void> | undefined {
    const block = blockOf(perDay);
    const ahead = counter.reserved - counter.dayUsed;
    if (ahead * 2 > block || (ahead > 0 && counter.reserved >= perDay)) return undefined;
    const reservation = this.add(keyId, day, counter, block);
    return ahead > 0 ? undefined : this.outcomeOf(reservation);
  }

  /** Reads the day so far. */
  read(keyId: ClientId, day: number, counter: WindowCounter): Promise<void> | undefined {
    return this.outcomeOf(this.add(keyId, day, counter, 0));
  }

  /** Records the exact counts of a day: gives back what was reserved and not used. */
  async close(day: number, counters: Iterable<readonly [ClientId, WindowCounter]>): Promise<void> {
    this.closing = true;
    clearTimeout(this.retry);
    await this.writing;
    for (const [keyId, counter] of counters) {
      if (counter.reserved !== counter.dayUsed) this.add(keyId, day, counter, 0);
    }
    const end = performance.now() + CLOSE_TIMEOUT;
    while (!(await this.write()) && performance.now() < end) await delay(CLOSE_RETRY_AFTER);
    if (this.reservations.size > 0) {
      this.logger.error(`The day counts of ${this.reservations.size} keys are not recorded.`);
    }
  }

  private add(keyId: ClientId, day: number, counter: WindowCounter, block: number): Reservation {
    let reservation = this.reservations.get(counter);
    if (!reservation) {
      reservation = { keyId, day, counter, block, sent: 0, waiting: [] };
      this.reservations.set(counter, reservation);
      this.due.push(reservation);
      if (!this.unavailable) this.start();
    }
    return reservation;
  }

  private outcomeOf({ waiting }: Reservation): Promise<void> | undefined {
    return this.unavailable || this.closing ? undefined : new Promise((resolve) => waiting.push(resolve));
  }

  private start(): void {
    if (this.closing) return;
    this.writing ??= this.write().then((done) => {
      this.writing = undefined;
      if (done && this.due.length > 0) this.start(); // added after the last statement
    });
  }

  /** @returns whether all that is due is recorded */
  private async write(): Promise<boolean> {
    try {
      if (this.sent.length > 0) await this.send([]);
      while (this.due.length > 0) await this.send(this.due.splice(0, MAX_CHANGES));
      if (this.unavailable) this.logger.log('Day counts are recorded again.');
      this.unavailable = false;
      return true;
    } catch (error) {
      this.lost(error);
      return false;
    }
  }

  private async send(reservations: readonly Reservation[]): Promise<void> {
    const changes = reservations.map((reservation) => {
      const requests = this.closing ? exactly(reservation) : ahead(reservation);
      reservation.sent += requests;
      return { keyId: reservation.keyId, day: reservation.day, requests };
    });
    this.sent.push(...reservations);
    const counts = await this.writer.write(changes);
    const { sent } = this;
    this.sent = [];
    const recorded = new Map(counts.map(({ keyId, day, requests }) => [`${keyId} ${day}`, requests]));
    for (const reservation of sent) {
      this.settle(reservation, recorded.get(`${reservation.keyId} ${reservation.day}`));
    }
  }

  /** @param count absent for a deleted key */
  private settle(reservation: Reservation, count?: number): void {
    const { counter, keyId, day, block, sent } = reservation;
    const expected = counter.reserved + sent;
    const others = (count ?? expected) - expected; // used by an earlier process, or another one
    counter.reserved = expected + others;
    counter.dayUsed += others;
    this.reservations.delete(counter);
    wake(reservation);
    const used = counter.dayUsed - counter.reserved; // not recorded, or given back by a stop
    if (used > 0 || (this.closing && used < 0)) this.add(keyId, day, counter, block);
  }

  private lost(error: unknown): void {
    if (!this.unavailable) this.logger.warn(`Day counts cannot be recorded for now: ${String(error)}`);
    this.unavailable = true;
    for (const reservation of this.reservations.values()) wake(reservation);
    if (this.closing) return;
    this.retry = setTimeout(() => {
      this.start();
    }, RETRY_AFTER).unref();
  }
}

function wake(reservation: Reservation): void {
  const { waiting } = reservation;
  reservation.waiting = [];
  for (const resolve of waiting) resolve();
}

/** What was used without a reservation, and one more block. */
const ahead = ({ counter, sent, block }: Reservation): number => {
  const left = counter.reserved + sent - counter.dayUsed;
  return left * 2 > block ? 0 : block + Math.max(0, -left);
};

const exactly = ({ counter, sent }: Reservation): number => counter.dayUsed - counter.reserved - sent;
