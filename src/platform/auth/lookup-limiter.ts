import { LRUCache } from 'lru-cache';
import { atMost } from './cache-size.js';
import type { Clock } from '../clock/clock.js';
import { minutes } from '../clock/duration.js';

/** Failed look-ups of one network in a minute. */
const MAX_FAILED = 30;
const MAX_NETWORKS = 100_000;

interface Lookups {
  failed: number;
  running: number;
  /** When `failed` starts again at 0, on the monotonic clock. */
  endsAt: number;
  readonly waiting: (() => void)[];
}

/** The network has used up its failed look-ups. */
export class LookUpRefused extends Error {
  /** @param wait milliseconds until keys of the network are looked up again */
  constructor(readonly wait: number) {
    super('too many unknown keys from this network');
  }
}

/**
 * Lets each network look up 30 unknown keys a minute, counted in this process. Keys that are found are free. At most 30
 * less the failed look-ups run at once, since each may fail; the others wait.
 */
export class LookupLimiter {
  private readonly networks = new LRUCache<string, Lookups>(atMost(MAX_NETWORKS));

  constructor(private readonly clock: Clock) {}

  /** @param lookUp returns `null` if it has failed @throws LookUpRefused */
  async run<T>(network: string, lookUp: () => Promise<T | null>): Promise<T | null> {
    const own = this.find(network);
    while (this.room(own) <= 0) {
      if (own.failed >= MAX_FAILED) throw new LookUpRefused(own.endsAt - this.clock.elapsed());
      await new Promise<void>((wake) => own.waiting.push(wake));
    }
    own.running += 1;
    try {
      const found = await lookUp();
      if (found === null) this.countFailure(own);
      return found;
    } finally {
      own.running -= 1;
      const next = own.failed >= MAX_FAILED ? own.waiting.length : this.room(own);
      for (const wake of own.waiting.splice(0, next)) wake();
    }
  }

  private room(own: Lookups): number {
    if (this.clock.elapsed() >= own.endsAt) own.failed = 0;
    return MAX_FAILED - own.failed - own.running;
  }

  private countFailure(own: Lookups): void {
    this.room(own); // a failure of an earlier minute no longer counts
    if (own.failed === 0) own.endsAt = this.clock.elapsed() + minutes(1);
    own.failed += 1;
  }

  private find(network: string): Lookups {
    let own = this.networks.get(network);
    if (!own) this.networks.set(network, (own = { failed: 0, running: 0, endsAt: 0, waiting: [] }));
    return own;
  }
}
