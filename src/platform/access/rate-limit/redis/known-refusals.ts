import { LRUCache } from 'lru-cache';
import { atMost } from '../../../kernel/cache/at-most.js';
import type { Clock } from '../../../kernel/clock/clock.js';
import type { QuotaSubject, QuotaResult, RateLimitWindow } from '../quota.js';

const MAX_CLIENTS = 100_000;

interface Refusal {
  readonly windows: readonly RateLimitWindow[];
  /** Time on the monotonic clock. */
  readonly since: number;
}

/** Clients that are banned, or exhausted until a window ends. Refusing them needs no Redis command. */
export class KnownRefusals {
  private readonly refusals = new LRUCache<string, Refusal>(atMost(MAX_CLIENTS));

  constructor(private readonly clock: Clock) {}

  add({ id }: QuotaSubject, { windows }: QuotaResult): void {
    this.refusals.set(id, { windows, since: this.clock.elapsed() });
  }

  /**
   * @param isBanned no request is charged during a ban, so the known windows stay valid
   * @returns undefined if one of the windows has ended, or the plan has changed
   */
  find({ id, limit, perDay }: QuotaSubject, isBanned: boolean): QuotaResult | undefined {
    const refusal = this.refusals.get(id);
    if (!refusal) return undefined;
    const age = this.clock.elapsed() - refusal.since;
    const windows = refusal.windows.map((window) => ({ ...window, resetIn: window.resetIn - age }));
    const [minute, day] = windows;
    const isCurrent =
      windows.every(({ resetIn }) => resetIn > 0) && minute?.limit === limit && day?.limit === perDay;
    const isRefused = isBanned || windows.some(({ remaining }) => remaining === 0);
    if (isCurrent && isRefused) return { admitted: false, windows };
    this.refusals.delete(id);
    return undefined;
  }
}
