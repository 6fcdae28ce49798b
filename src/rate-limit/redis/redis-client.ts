import type { Cluster, Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import { seconds } from '../../kernel/clock/duration.js';
import { MINUTE, type RateLimitClient } from '../plan-throttler.storage.js';
import {
  type Charge,
  type Commands,
  type Consumed,
  consumed,
  type Reply,
  type Statements,
} from './redis-commands.js';
import { PARTS, type RedisKeys } from './redis-keys.js';
import { ConsumeBatch, type Consumption } from './consume-batch.js';
import { PendingCommands } from './pending-commands.js';

/** No request waits for it: a busy machine is not a lost Redis. */
const HEARTBEAT_TIMEOUT = seconds(1);

/** Sends commands to one shard. A command is sent at once or fails at once, has a short time limit, and is never sent again. */
export class RedisClient {
  private readonly pending = new PendingCommands();
  private readonly heartbeats = new PendingCommands();
  private readonly batch?: ConsumeBatch;

  /**
   * @param timeout of a command, in milliseconds
   * @param batch how many keys one command may have; undefined: each decision is a command
   */
  constructor(
    private readonly redis: (Redis | Cluster) & Commands,
    private readonly keys: RedisKeys,
    private readonly timeout: number,
    batch?: number,
  ) {
    if (batch) this.batch = new ConsumeBatch(batch, (consumptions) => this.consumeAll(consumptions));
  }

  async consume(
    replica: string,
    { id, limits, period = MINUTE }: RateLimitClient,
    charge: Charge,
  ): Promise<Consumed> {
    const { perMinute, perDay = 0 } = limits;
    const { commands } = this;
    const key = this.keys.client(id);
    const reply = this.batch
      ? this.batch.add({ key, period, replica, perMinute, perDay, charge })
      : this.pending.settle(
          this.timeout,
          commands.petstoreConsume(key, period, replica, perMinute, perDay, charge),
        );
    return consumed(await reply);
  }

  /** The same, after a replica has stated what it has admitted. */
  async state(
    replica: string,
    { id, limits, period = MINUTE }: RateLimitClient,
    charge: Charge,
    { minute, day, version }: Statements,
    timeout = this.timeout,
  ): Promise<Consumed> {
    const reply = this.commands.petstoreState(
      ...([this.keys.client(id), period, replica, limits.perMinute, limits.perDay ?? 0, charge] as const),
      ...([minute.end, minute.own, day.end, day.own, version] as const),
    );
    return consumed(await this.pending.settle(timeout, reply));
  }

  /** Consumes from one of many windows in a table with a maximal size. */
  async consumeCapped(
    { table, max }: { readonly table: string; readonly max: number },
    { id, limits, period = MINUTE }: RateLimitClient,
    charge: Charge,
  ): Promise<Consumed> {
    const part = this.keys.part(table, id);
    const half = Math.floor(max / PARTS / 2);
    const reply = this.commands.petstoreConsumeCapped(
      `${part}:young`,
      `${part}:old`,
      `:${id}`,
      period,
      limits.perMinute,
      charge,
      half,
    );
    return consumed(await this.pending.settle(this.timeout, reply));
  }

  /** Announces a replica. @returns how many members have announced themselves in the last `ttl` milliseconds */
  async announce(
    replica: string,
    generation: string,
    ttl: number,
  ): Promise<{ readonly count: number; readonly generation: string; readonly time: number }> {
    const [count, current, time] = await this.heartbeats.settle(
      HEARTBEAT_TIMEOUT,
      this.commands.petstoreAnnounce(this.keys.replicas, replica, ttl, generation, randomUUID()),
    );
    return { count, generation: current, time };
  }

  /** Rejects every pending command. A later reply is ignored. */
  abandon(error: Error): void {
    this.batch?.abandon(error);
    this.pending.abandon(error);
  }

  /** Commands are not kept for later: they would be charged long after they were given up. */
  private get commands(): Commands {
    if (this.redis.status !== 'ready') throw new Error('not connected');
    return this.redis;
  }

  private consumeAll(batch: readonly Consumption[]): Promise<readonly Reply[]> {
    const keys = batch.map(({ key }) => key);
    const args = batch.flatMap((one) => [one.period, one.replica, one.perMinute, one.perDay, one.charge]);
    return this.pending.settle(this.timeout, this.commands.petstoreConsumeAll(keys.length, ...keys, ...args));
  }
}
