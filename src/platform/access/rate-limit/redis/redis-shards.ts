import calculateSlot from 'cluster-key-slot';
import type { RedisWithScripts } from './open-redis.js';

const SLOTS = 16_384;

/**
 * The part of Redis that counts a hash: the address of its master in a cluster, as the client knows it now,
 * so that a promoted replica is another shard. Otherwise, and before the client knows the cluster, it is
 * empty: there is only one.
 */
export function shardOf(redis: RedisWithScripts, hash: string): string {
  return 'slots' in redis ? (redis.slots[calculateSlot(hash)]?.[0] ?? '') : '';
}

/**
 * For each shard a key that is in it.
 * @param single the key if there is only one shard
 * @param known the result of the last call: what still holds of it is not searched for again
 */
export function probesOf(
  redis: RedisWithScripts,
  single: string,
  known: ReadonlyMap<string, string> = new Map(),
): ReadonlyMap<string, string> {
  if (!('slots' in redis)) return new Map([['', single]]);
  const shards = new Set(redis.slots.flatMap(([master]) => (master === undefined ? [] : [master])));
  const probes = new Map(
    [...known].filter(([shard, key]) => shards.has(shard) && shardOf(redis, key) === shard),
  );
  // A tag is in any slot with the same probability, so the smallest shards need the most.
  for (let n = 0; probes.size < shards.size && n < 20 * SLOTS; n++) {
    const key = single.replace('}', `:${n}}`);
    const shard = shardOf(redis, key);
    if (shards.has(shard) && !probes.has(shard)) probes.set(shard, key);
  }
  return probes.size > 0 ? probes : probes.set('', single);
}
