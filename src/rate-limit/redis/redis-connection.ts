import { Logger } from '@nestjs/common';
import { Cluster, type Redis } from 'ioredis';
import { seconds } from '../../kernel/clock/duration.js';
import type { Config } from '../../kernel/config/config.js';
import { batchCommands } from './command-batching.js';
import { openRedis } from './open-redis.js';
import { RedisClient } from './redis-client.js';
import type { Commands } from './redis-commands.js';
import { SHARDS, SINGLE_REDIS } from './redis-keys.js';
import { PendingCommands } from './pending-commands.js';

/** Milliseconds. A healthy Redis responds in one. */
const COMMAND_TIMEOUT = 50;
/** No request waits for it: a busy machine is not a lost Redis. */
const CONNECT_TIMEOUT = seconds(2);
/** Of one command. Redis does nothing else meanwhile: about half a millisecond. */
const MAX_KEYS = 64;

/** The connection to one Redis, or those to the masters of a cluster. ioredis replaces a lost one. */
export class RedisConnection {
  /** One for each shard; a Redis without a cluster is one shard. */
  readonly clients: readonly RedisClient[];
  private readonly logger = new Logger(RedisConnection.name);
  private readonly redis: Redis | Cluster;

  /** @param timeout of a command, in milliseconds */
  constructor(config: Config, timeout = COMMAND_TIMEOUT) {
    this.redis = openRedis(config);
    if (config.fastPaths) {
      if (this.redis instanceof Cluster) this.redis.on('+node', batchCommands);
      else batchCommands(this.redis);
    }
    this.redis.on('error', (error: Error) => {
      this.logger.debug(error.message);
    });
    const commands = this.redis as (Redis | Cluster) & Commands; // defineCommand adds what types cannot see
    const isCluster = this.redis instanceof Cluster;
    const keys = isCluster ? SHARDS : [SINGLE_REDIS];
    // While a slot moves, a command of a cluster may have one key only.
    const batch = config.fastPaths ? (isCluster ? 1 : MAX_KEYS) : undefined;
    this.clients = keys.map((shard) => new RedisClient(commands, shard, timeout, batch));
  }

  async connect(): Promise<void> {
    await new PendingCommands().settle(CONNECT_TIMEOUT, this.redis.connect());
  }

  /** Called when the connection closes. That of one node of a cluster does not close the others. */
  onClose(listener: () => void): void {
    this.redis.on('close', listener);
  }

  /** Does what ioredis does not do by itself while commands fail. */
  recover(): void {
    const { redis } = this;
    // A failover that sentinels announce while ioredis looks for the master ends its attempts for good.
    if (redis.status === 'end') redis.connect().catch(() => undefined);
    // A node of a cluster that does not respond says nothing of its successor.
    else if (redis instanceof Cluster && redis.status === 'ready') redis.refreshSlotsCache();
  }

  close(): void {
    this.redis.removeAllListeners('close');
    this.redis.disconnect();
  }
}
