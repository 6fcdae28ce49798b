import { LRUCache } from 'lru-cache';
import { atMost } from '../cache/at-most.js';
import type { Clock } from '../clock/clock.js';
import { minutes } from '../clock/duration.js';
import { Slots } from '../concurrency/slots.js';

/** Look-ups of a network at a time. */
const LOOKUPS = 10;
/** Failed look-ups of one network in a minute, after which its look-ups run one at a time. */
const MAX_FAILED = 10;
/** Look-ups of all such networks at a time. */
const SUSPECT_LOOKUPS = 4;
const MAX_WAITING = 100;
const MAX_NETWORKS = 100_000;
const SUSPECT = Symbol('suspect');

interface Failures {
  count: number;
  /** When `count` starts again at 0, on the monotonic clock. */
  readonly endsAt: number;
}

/**
 * Bounds what guessing keys costs, without refusing a valid key because of the failures of others at its
 * address: the look-ups of a network with many failures run one at a time, each in less than a millisecond.
 */
export class LookupLimiter {
  private readonly failures = new LRUCache<string, Failures>(atMost(MAX_NETWORKS));
  private readonly others: Slots;
  private readonly suspects: Slots;

  /** @param wait milliseconds that a look-up waits for those before it */
  constructor(
    private readonly clock: Clock,
    wait: number,
  ) {
    this.others = new Slots({ perClient: LOOKUPS, wait });
    this.suspects = new Slots({ perClient: 1, total: SUSPECT_LOOKUPS, maxWaiting: MAX_WAITING, wait });
  }

  /**
   * @param lookup returns `null` if it has failed
   * @throws ServiceUnavailable if too many look-ups of the network wait, or wait too long
   */
  async run<T>(network: string, lookup: () => Promise<T | null>): Promise<T | null> {
    // Those that waited may have become suspect by the failures before them.
    const first = await this.others.run(network, async () =>
      this.isSuspect(network) ? SUSPECT : this.count(network, lookup),
    );
    return first === SUSPECT ? this.suspects.run(network, () => this.count(network, lookup)) : first;
  }

  private isSuspect(network: string): boolean {
    return (this.current(network)?.count ?? 0) >= MAX_FAILED;
  }

  private async count<T>(network: string, lookup: () => Promise<T | null>): Promise<T | null> {
    const found = await lookup();
    if (found === null) this.countFailure(network);
    return found;
  }

  private current(network: string): Failures | undefined {
    const failures = this.failures.get(network);
    return failures && this.clock.elapsed() < failures.endsAt ? failures : undefined;
  }

  private countFailure(network: string): void {
    const failures = this.current(network) ?? { count: 0, endsAt: this.clock.elapsed() + minutes(1) };
    failures.count += 1;
    this.failures.set(network, failures);
  }
}
