import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { minutes, seconds } from '../kernel/clock/duration.js';
import type { Int64 } from '../kernel/json/int64.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import type { ApiKeyPrincipal } from './principal.js';

const NOTE_EVERY = minutes(1);
const WRITE_EVERY = seconds(5);

/**
 * Records when keys were last used, to the minute. The times of all keys are written every 5 s in one statement, or later if
 * PostgreSQL is unavailable.
 */
@Injectable()
export class LastUsedRecorder implements OnApplicationShutdown {
  private readonly logger = new Logger(LastUsedRecorder.name);
  private readonly timer = setInterval(() => void this.write(), WRITE_EVERY).unref();
  private times = new Map<Int64, number>();
  private writing = Promise.resolve();
  private failing = false;

  constructor(private readonly keys: ApiKeysRepository) {}

  /** @param now Unix milliseconds */
  note(principal: ApiKeyPrincipal, now: number): void {
    if (now - principal.lastUsedAt < NOTE_EVERY) return;
    principal.lastUsedAt = now;
    this.times.set(principal.id, now);
  }

  /** Waits for a running write first. The times of a failed write are kept for the next one. */
  write(): Promise<void> {
    return (this.writing = this.writing.then(() => this.writeTimes()));
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.write();
  }

  private async writeTimes(): Promise<void> {
    const { times } = this;
    if (times.size === 0) return;
    this.times = new Map();
    try {
      await this.keys.recordUse([...times]);
      this.failing = false;
    } catch (error) {
      this.keep(times, error);
    }
  }

  /** Keeps the times for the next write. Newer times of the same keys win. */
  private keep(times: ReadonlyMap<Int64, number>, error: unknown): void {
    this.times = new Map([...times, ...this.times]);
    if (!this.failing)
      this.logger.warn(`Could not record when keys were last used; retrying: ${String(error)}`);
    this.failing = true;
  }
}
