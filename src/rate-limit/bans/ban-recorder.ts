import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ApiKeysRepository } from '../../auth/api-keys.repository.js';
import type { Ban } from '../../auth/principal.js';
import { atMost } from '../../kernel/at-most.js';
import { seconds } from '../../kernel/clock/duration.js';
import type { Int64 } from '../../kernel/json/int64.js';

const RETRY_AFTER = seconds(1);
const MAX_PENDING = 50_000;

/** A ban by this process. */
export interface OwnBan extends Ban {
  /** Unix milliseconds. */
  readonly since: number;
}

/** Writes bans to PostgreSQL, or keeps them until it is available. */
@Injectable()
export class BanRecorder implements OnApplicationShutdown {
  private readonly logger = new Logger(BanRecorder.name);
  private readonly pending = new LRUCache<Int64, OwnBan>(atMost(MAX_PENDING));
  private writing?: Promise<void>;
  private retry?: NodeJS.Timeout;

  constructor(private readonly keys: ApiKeysRepository) {}

  record(id: Int64, ban: OwnBan): void {
    this.pending.set(id, ban);
    if (!this.retry) this.start();
  }

  /** Bans that are not recorded yet. */
  get waiting(): number {
    return this.pending.size;
  }

  async onApplicationShutdown(): Promise<void> {
    clearTimeout(this.retry);
    await this.writing;
    await this.write();
    clearTimeout(this.retry);
    if (this.pending.size > 0) this.logger.error(`The bans of ${this.pending.size} keys are not recorded.`);
  }

  /** One write at a time: bans that arrive meanwhile share the next one. */
  private start(): void {
    this.writing ??= this.write().finally(() => {
      this.writing = undefined;
      if (this.pending.size > 0 && !this.retry) this.start();
    });
  }

  private async write(): Promise<void> {
    const bans = [...this.pending.entries()];
    if (bans.length === 0) return;
    try {
      await this.keys.recordBans(bans.map(([id, ban]) => ({ id, ...ban })));
      for (const [id, ban] of bans) if (this.pending.peek(id) === ban) this.pending.delete(id);
    } catch (error) {
      this.logger.warn(`${bans.length} bans are written later: ${String(error)}`);
      this.retry = setTimeout(() => {
        this.retry = undefined;
        this.start();
      }, RETRY_AFTER).unref();
    }
  }
}
