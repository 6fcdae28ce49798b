import { LRUCache } from 'lru-cache';
import { atMost } from '../../kernel/caching.js';
import type { Clock } from '../../kernel/clock/clock.js';
import type { ClientId, RateLimitClient } from '../rate-limit-client.js';
import type { RateLimitResult, RateLimitWindow } from '../rate-limit.result.js';

const MAX_CLIENTS = 100_000;

interface Refusal {
  readonly windows: readonly RateLimitWindow[];
  /** Time on the monotonic clock. */
  readonly since: number;
}

/** Clients that are banned, or exhausted until a window ends. Refusing them needs no Redis command. */
export class KnownRefusals {
  private readonly refusals = new LRUCache<ClientId, Refusal>(atMost(MAX_CLIENTS));

  constructor(private readonly clock: Clock) {}

  add({ id }: RateLimitClient, { windows }: RateLimitResult): void {
    this.refusals.set(id, { windows, since: this.clock.elapsed() });
  }

  /** @param isBanned no request is charged during a ban, so the known windows stay valid */
  find({ id, limits }: RateLimitClient, isBanned: boolean): RateLimitResult | undefined {
    const refusal = this.refusals.get(id);
    if (!refusal) return undefined;
    const age = this.clock.elapsed() - refusal.since;
    const windows = refusal.windows.map((window) => ({ ...window, resetIn: window.resetIn - age }));
    const isRefused = isBanned || windows.some(({ remaining, resetIn }) => remaining === 0 && resetIn > 0);
    const [minute, day] = windows;
    if (isRefused && minute?.limit === limits.perMinute && day?.limit === limits.perDay)
      return {
        admitted: false,
        windows: windows.map((window) => (window.resetIn > 0 ? window : renewed(window))),
      };
    this.refusals.delete(id); // a window has ended, or the plan has changed
    return undefined;
  }
}

/** The minute may end before the exhausted day does. */
function renewed({ resetIn, ...window }: RateLimitWindow): RateLimitWindow {
  const length = window.length * 1000;
  const ended = Math.ceil(-resetIn / length);
  return {
    ...window,
    remaining: window.limit,
    resetIn: resetIn + ended * length,
    resetAt: window.resetAt + ended * length,
  };
}
