import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { minutes, seconds } from '../../kernel/clock/duration.js';
import { PeriodicTasks } from '../../kernel/clock/periodic-tasks.js';
import type { Int64 } from '../../kernel/json/int64.js';
import { ApiKeysRepository } from '../keys/api-keys.repository.js';
import type { ApiKeyPrincipal } from './principal.js';

const NOTE_EVERY = minutes(1);
const WRITE_EVERY = seconds(5);
/** How long a shutdown keeps trying to record the times. */
const CLOSE_TIMEOUT = seconds(0.5);

/**
 * Records when keys were last used, to the minute. The times of all keys are written every 5 s in one
 * statement, or later if PostgreSQL is unavailable.
 */
@Injectable()
export class LastUsedRecorder implements OnApplicationShutdown {
  private readonly logger = new Logger(LastUsedRecorder.name);
  private readonly tasks = PeriodicTasks.warning(LastUsedRecorder.name, 'record when keys were last used');
  private times = new Map<Int64, number>();
  /** Waits for a running write first. The times of a failed write are kept for the next one. */
  readonly write = this.tasks.add(WRITE_EVERY, () => this.writeTimes(), 'recordLastUse');

  constructor(private readonly keys: ApiKeysRepository) {}

  /** @param now Unix milliseconds */
  note(principal: ApiKeyPrincipal, now: number): void {
    if (now - principal.lastUsedAt < NOTE_EVERY) return;
    principal.lastUsedAt = now;
    this.times.set(principal.id, now);
  }

  async onApplicationShutdown(): Promise<void> {
    if (!(await this.tasks.stopAfter(this.write, CLOSE_TIMEOUT)))
      this.logger.error('Shutting down without recording when keys were last used.');
  }

  private async writeTimes(): Promise<void> {
    const { times } = this;
    if (times.size === 0) return;
    this.times = new Map();
    try {
      await this.keys.recordUse([...times]);
    } catch (error) {
      this.times = new Map([...times, ...this.times]); // newer times of the same keys win
      throw error;
    }
  }
}
