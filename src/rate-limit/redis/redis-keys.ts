import { crc32 } from 'node:zlib';
import { SERVICE } from '../../kernel/service.js';
import type { ClientId } from '../rate-limit-client.js';

/** The number of parts of a size-limited table, and of shards of a cluster. */
export const PARTS = 16;

/** The names of hashes and sets in Redis. The part in braces determines the cluster slot. */
export interface RedisKeys {
  /** The quota of a client. */
  client(id: ClientId): string;
  /** The part of a table that contains a client. */
  part(table: string, id: ClientId): string;
  /** The replicas that count in this Redis, or in this shard of it. */
  readonly replicas: string;
}

export const SINGLE_REDIS: RedisKeys = {
  client: (id) => `${SERVICE.prefix}:{${id}}`,
  part: (table, id) => `${SERVICE.prefix}:{${table}:${partOf(id)}}`,
  replicas: `${SERVICE.prefix}:{seen}`,
};

/**
 * Each shard is one slot, so its data is on one master and is lost or moved together. The slots are 1024 apart, so
 * masters with equal slot ranges get the same number of shards, give or take one.
 */
const TAGS = [18, 1095, 333, 223, 553, 443, 95, 663, 265, 375, 908, 155, 625, 735, 405, 515];

/** The keys of each shard of a cluster. */
export const SHARDS: readonly RedisKeys[] = TAGS.map((tag) => ({
  client: (id) => `${SERVICE.prefix}:{${tag}}:${id}`,
  part: (table) => `${SERVICE.prefix}:{${tag}}:${table}`,
  replicas: `${SERVICE.prefix}:{${tag}}:seen`,
}));

/** The part or shard of a client. */
export const partOf = (id: ClientId): number => crc32(String(id)) % PARTS;
