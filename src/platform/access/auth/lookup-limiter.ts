import { LRUCache } from 'lru-cache';
import { atMost } from '../../kernel/cache/at-most.js';
import type { Clock } from '../../kernel/clock/clock.js';
import { minutes } from '../../kernel/clock/duration.js';
import { Slots } from '../../kernel/concurrency/slots.js';

/** Look-ups of a network at a time. */
const LOOKUPS = 10;
/** Unknown keys of one network in a minute, after which its look-ups run one at a time. */
const MAX_UNKNOWN = 10;
/** Look-ups of all such networks at a time. */
const SUSPECT_LOOKUPS = 4;
const MAX_WAITING = 100;
const MAX_NETWORKS = 100_000;
const SUSPECT = Symbol('suspect');

interface UnknownKeys {
  count: number;
  /** When `count` starts again at 0, on the monotonic clock. */
  readonly endsAt: number;
}

/**
 * Bounds what guessing keys costs, without refusing a valid key because others at its address
 * guess: the look-ups of a network with many unknown keys run one at a time, each in less than a millisecond.
 */
export class LookupLimiter {
  private readonly unknown = new LRUCache<string, UnknownKeys>(atMost(MAX_NETWORKS));
  private readonly perNetwork: Slots;
  private readonly suspects: Slots;

  /** @param wait milliseconds that a look-up waits for those before it */
  constructor(
    private readonly clock: Clock,
    wait: number,
  ) {
    this.perNetwork = new Slots({ perClient: LOOKUPS, wait });
    this.suspects = new Slots({ perClient: 1, total: SUSPECT_LOOKUPS, maxWaiting: MAX_WAITING, wait });
  }

  /**
   * @param lookup returns `null` for an unknown key
   * @throws ServiceUnavailable if too many look-ups of the network wait, or wait too long
   */
  async run<T>(network: string, lookup: () => Promise<T | null>): Promise<T | null> {
    // Those that waited may have become suspect by those before them.
    const first = await this.perNetwork.run(network, async () =>
      this.isSuspect(network) ? SUSPECT : this.count(network, lookup),
    );
    return first === SUSPECT ? this.suspects.run(network, () => this.count(network, lookup)) : first;
  }

  private isSuspect(network: string): boolean {
    return (this.current(network)?.count ?? 0) >= MAX_UNKNOWN;
  }

  private async count<T>(network: string, lookup: () => Promise<T | null>): Promise<T | null> {
    const found = await lookup();
    if (found === null) this.countUnknown(network);
    return found;
  }

  private current(network: string): UnknownKeys | undefined {
    const unknown = this.unknown.get(network);
    return unknown && this.clock.elapsed() < unknown.endsAt ? unknown : undefined;
  }

  private countUnknown(network: string): void {
    const unknown = this.current(network) ?? { count: 0, endsAt: this.clock.elapsed() + minutes(1) };
    unknown.count += 1;
    this.unknown.set(network, unknown);
  }
}
