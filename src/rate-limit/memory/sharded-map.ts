import type { ClientId } from '../plan-throttler.storage.js';

const SHARDS = 64; // powers of two, both
const PAGE = 16;

type Page<V> = (V | undefined)[];

/**
 * A `Map` for a million key ids, which are consecutive: sixteen of them share one entry, which takes a third of the memory
 * accesses. Other ids have an entry each. It has 64 parts, because a `Map` that outgrows its table copies all entries,
 * which takes tens of milliseconds at that size.
 */
export class ShardedMap<V> {
  private readonly pages = Array.from({ length: SHARDS }, () => new Map<number, Page<V>>());
  private readonly others = Array.from({ length: SHARDS }, () => new Map<ClientId, V>());
  private count = 0;

  get(key: ClientId): V | undefined {
    if (typeof key !== 'number') return this.part(this.others, spread(key)).get(key);
    const page = Math.floor(key / PAGE);
    return this.part(this.pages, page).get(page)?.[key % PAGE];
  }

  /** @param key one that is not there yet */
  add(key: ClientId, value: V): void {
    this.count += 1;
    if (typeof key !== 'number') {
      this.part(this.others, spread(key)).set(key, value);
      return;
    }
    const number = Math.floor(key / PAGE);
    const part = this.part(this.pages, number);
    let page = part.get(number);
    if (!page) part.set(number, (page = new Array<V | undefined>(PAGE).fill(undefined)));
    page[key % PAGE] = value;
  }

  get size(): number {
    return this.count;
  }

  *entries(): Generator<[ClientId, V]> {
    for (const part of this.others) yield* part;
    for (const part of this.pages) {
      for (const [number, page] of part) {
        for (const [i, value] of page.entries()) if (value !== undefined) yield [number * PAGE + i, value];
      }
    }
  }

  private part<T>(parts: readonly T[], spread: number): T {
    const part = parts[spread & (SHARDS - 1)];
    if (part === undefined) throw new RangeError('No such part.');
    return part;
  }
}

/** Addresses differ most at their end. */
function spread(key: string | bigint): number {
  const text = String(key);
  return text.charCodeAt(text.length - 1) + 10 * (text.charCodeAt(text.length - 2) | 0);
}
