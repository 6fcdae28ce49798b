import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ApiKeysRepository } from '../../auth/api-keys.repository.js';
import type { Ban } from '../../auth/principal.js';
import { atMost } from '../../kernel/caching.js';
import { seconds } from '../../kernel/clock/duration.js';
import type { Int64 } from '../../kernel/json/int64.js';

const WRITE_AGAIN_EVERY = seconds(1);
const MAX_PENDING = 50_000;

/** A ban by this process. */
export interface OwnBan extends Ban {
  /** Unix milliseconds. */
  readonly since: number;
}

/** Writes bans to PostgreSQL at once, or keeps them until it is available. */
@Injectable()
export class BanRecorder implements OnApplicationShutdown {
  private readonly logger = new Logger(BanRecorder.name);
  private readonly pending = new LRUCache<Int64, OwnBan>(atMost(MAX_PENDING));
  private readonly timer = setInterval(() => void this.write(), WRITE_AGAIN_EVERY).unref();
  private writing?: Promise<void>;
  private failing = false;

  constructor(private readonly keys: ApiKeysRepository) {}

  record(id: Int64, ban: OwnBan): void {
    this.pending.set(id, ban);
    if (!this.failing) void this.write();
  }

  /** Bans that are not recorded yet. */
  get waiting(): number {
    return this.pending.size;
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.writing;
    await this.write();
    if (this.pending.size > 0) this.logger.error(`The bans of ${this.pending.size} keys are not recorded.`);
  }

  /** One write at a time: a ban that is earned meanwhile waits for the next one. */
  private write(): Promise<void> {
    this.writing ??= this.writeAll().finally(() => (this.writing = undefined));
    return this.writing;
  }

  private async writeAll(): Promise<void> {
    const bans = [...this.pending.entries()];
    if (bans.length === 0) return;
    try {
      await this.keys.recordBans(bans.map(([id, ban]) => ({ id, ...ban })));
      for (const [id, ban] of bans) if (this.pending.peek(id) === ban) this.pending.delete(id);
      this.failing = false;
    } catch (error) {
      if (!this.failing) this.logger.warn(`${bans.length} bans are written later: ${String(error)}`);
      this.failing = true;
    }
  }
}
