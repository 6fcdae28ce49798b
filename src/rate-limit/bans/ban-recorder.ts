import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ApiKeysRepository } from '../../auth/api-keys.repository.js';
import type { Ban } from '../../auth/principal.js';
import { atMost } from '../../kernel/caching.js';
import { seconds } from '../../kernel/clock/duration.js';
import { PeriodicTasks } from '../../kernel/clock/periodic-tasks.js';
import type { Int64 } from '../../kernel/json/int64.js';

const WRITE_EVERY = seconds(1);
/** How long a shutdown keeps trying to record bans. */
const CLOSE_TIMEOUT = seconds(2);
const MAX_PENDING = 50_000;

/** A ban imposed by this process. */
export interface OwnBan extends Ban {
  /** Unix milliseconds. */
  readonly since: number;
}

/** Records bans in PostgreSQL once a second, or as soon as it is available again. */
@Injectable()
export class BanRecorder implements OnApplicationShutdown {
  private readonly logger = new Logger(BanRecorder.name);
  private readonly pending = new LRUCache<Int64, OwnBan>(atMost(MAX_PENDING));
  private readonly tasks = new PeriodicTasks((error) => {
    this.logger.warn(`${this.waiting} bans are not recorded yet; retrying: ${String(error)}`);
  });

  private readonly write = this.tasks.add(WRITE_EVERY, () => this.writePending());

  constructor(private readonly keys: ApiKeysRepository) {}

  record(id: Int64, ban: OwnBan): void {
    this.pending.set(id, ban);
  }

  /** Number of bans not recorded yet. */
  get waiting(): number {
    return this.pending.size;
  }

  async onApplicationShutdown(): Promise<void> {
    if (!(await this.tasks.stopAfter(this.write, CLOSE_TIMEOUT)))
      this.logger.error(`Shutting down without recording the bans of ${this.waiting} keys.`);
  }

  private async writePending(): Promise<void> {
    const bans = [...this.pending.entries()];
    if (bans.length === 0) return;
    await this.keys.recordBans(bans.map(([id, ban]) => ({ id, ...ban })));
    for (const [id, ban] of bans) if (this.pending.peek(id) === ban) this.pending.delete(id);
  }
}
