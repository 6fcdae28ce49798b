import type { ClientId } from '../plan-throttler.storage.js';
import { WindowCounter } from '../window-counts.js';
import { ShardedMap } from './sharded-map.js';

/**
 * Counters of one short window and no day, at most `max` of them. A generation that is half of `max` or one window old
 * replaces the one before it, which is dropped as a whole. Made-up addresses can evict the counts of others, but they
 * cannot fill the memory.
 */
export class ExpiringCounters {
  private young = new ShardedMap<WindowCounter>();
  private old = new ShardedMap<WindowCounter>();
  private youngSize = 0;
  private born = 0;

  /** @param period length of the window in milliseconds */
  constructor(
    private readonly period: number,
    private readonly max: number,
  ) {}

  /** @param now monotonic, in whole milliseconds */
  find(id: ClientId, now: number): WindowCounter {
    if (now - this.born >= this.period || this.youngSize >= this.max / 2) this.age(now);
    let counter = this.young.get(id);
    if (!counter) {
      counter = this.old.get(id) ?? new WindowCounter(now, 0, 0, 0);
      this.young.add(id, counter);
      this.youngSize += 1;
    }
    return counter;
  }

  get size(): number {
    return this.young.size + this.old.size;
  }

  private age(now: number): void {
    this.old = this.young;
    this.young = new ShardedMap();
    this.youngSize = 0;
    this.born = now;
  }
}
