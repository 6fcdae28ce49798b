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
import { within } from './within.js';

/** No request waits for it: a busy machine is not a lost Redis. */
const HEARTBEAT_TIMEOUT = seconds(1);

/** Sends commands to one shard. A command is sent at once or fails at once, has a short time limit, and is never sent again. */
export class RedisClient {
  private readonly waiting = new Set<(error: Error) => void>();

  /** @param timeout of a command, in milliseconds */
  constructor(
    private readonly redis: (Redis | Cluster) & Commands,
    private readonly keys: RedisKeys,
    private readonly timeout: number,
  ) {}

  async consume(
    replica: string,
    { id, limits, period = MINUTE }: RateLimitClient,
    charge: Charge,
  ): Promise<Consumed> {
    const { perMinute, perDay = 0 } = limits;
    const reply = this.commands.petstoreConsume(
      this.keys.client(id),
      period,
      replica,
      perMinute,
      perDay,
      charge,
    );
    return consumed(await this.wait(this.timeout, reply));
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
    return consumed(await this.wait(timeout, reply));
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
    return consumed(await this.wait(this.timeout, reply));
  }

  /** Announces a replica. @returns how many members have announced themselves in the last `ttl` milliseconds */
  async announce(
    replica: string,
    generation: string,
    ttl: number,
  ): Promise<{ readonly count: number; readonly generation: string; readonly time: number }> {
    const [count, current, time] = await within(
      HEARTBEAT_TIMEOUT,
      this.commands.petstoreAnnounce(this.keys.replicas, replica, ttl, generation, randomUUID()),
    );
    return { count, generation: current, time };
  }

  /** Rejects every pending command. A later reply is ignored. */
  abandon(error: Error): void {
    for (const reject of this.waiting) reject(error);
  }

  /** Commands are not kept for later: they would be charged long after they were given up. */
  private get commands(): Commands {
    if (this.redis.status !== 'ready') throw new Error('not connected');
    return this.redis;
  }

  private wait(timeout: number, reply: Promise<Reply>): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.waiting.add(reject);
      within(timeout, reply)
        .then(resolve, reject)
        .finally(() => this.waiting.delete(reject));
    });
  }
}
