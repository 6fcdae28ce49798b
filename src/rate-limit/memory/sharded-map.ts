const SHARDS = 64;

/**
 * A `Map` in 64 parts. A `Map` copies all of its entries whenever it outgrows its table: at a million entries that
 * stops the event loop for tens of milliseconds, at a sixty-fourth of them for less than one.
 */
export class ShardedMap<V> {
  private readonly shards = Array.from({ length: SHARDS }, () => new Map<string, V>());

  get(key: string): V | undefined {
    return this.shard(key).get(key);
  }

  set(key: string, value: V): void {
    this.shard(key).set(key, value);
  }

  get size(): number {
    return this.shards.reduce((sum, { size }) => sum + size, 0);
  }

  *entries(): Generator<[string, V]> {
    for (const shard of this.shards) yield* shard;
  }

  /** Ids count up and addresses vary most at their end, so the last two characters spread both evenly. */
  private shard(key: string): Map<string, V> {
    const end = key.length;
    const spread = key.charCodeAt(end - 1) + 10 * (key.charCodeAt(end - 2) | 0);
    const shard = this.shards[spread % SHARDS];
    if (!shard) throw new RangeError('No such shard.');
    return shard;
  }
}
