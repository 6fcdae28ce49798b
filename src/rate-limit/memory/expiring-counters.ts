import type { ClientId } from '../plan-throttler.storage.js';
import { WindowCounter } from '../window-counts.js';
import { ShardedMap } from './sharded-map.js';

/**
 * WindowCounters that count one short window and no day: remembered for that long at least, and never more than `most` of
 * them. When a generation has filled half of that, or the window's length has passed, the one before it is dropped
 * as a whole. A flood of made-up addresses can push out others' counts, but it cannot fill the memory.
 */
export class ExpiringCounters {
  private young = new ShardedMap<WindowCounter>();
  private old = new ShardedMap<WindowCounter>();
  private youngSize = 0;
  private born = 0;

  /** @param period length of the window in milliseconds */
  constructor(
    private readonly period: number,
    private readonly most: number,
  ) {}

  /** @param now monotonic, in whole milliseconds */
  find(id: ClientId, now: number): WindowCounter {
    if (now - this.born >= this.period || this.youngSize >= this.most / 2) this.age(now);
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
