import type { Clock } from '../../kernel/clock/clock.js';
import { days, seconds } from '../../kernel/clock/duration.js';
import { MINUTE, type RateLimitClient } from '../rate-limit-client.js';
import { type RateLimitResult, resultOf } from '../rate-limit.result.js';
import type { Charge, RedisWithScripts, Reply } from './open-redis.js';
import { PARTS, type RedisKeys } from './redis-keys.js';

/** Requests do not wait for heartbeats. */
const HEARTBEAT_TIMEOUT = seconds(2);
/** Windows of different routes share a table, and may be long. */
const ROUTES_KEPT_FOR = days(30);
/** How long a replica is considered alive after its last heartbeat. */
const SEEN_FOR = seconds(5);

interface ShardOptions {
  /** The id of this replica. */
  readonly replica: string;
  /** Milliseconds that a request waits for Redis. */
  readonly timeout: number;
  /** Maximum number of addresses counted at a time, over all shards. */
  readonly maxAddresses: number;
  /** Returns a key's recorded usage on a day (since 1970-01-01). */
  readonly usedOn: (id: RateLimitClient['id'], day: number) => Promise<number>;
}

/**
 * Clients whose counts are lost or moved together: all clients with a single Redis, a sixteenth of them in a cluster.
 */
export class RedisShard {
  /** Whether this replica is currently counting alone. */
  isLost = false;
  /** The number of replicas, this one included. */
  replicaCount = 1;
  /** When Redis last confirmed that number. */
  private countedAt = -Infinity;

  constructor(
    private readonly redis: RedisWithScripts,
    private readonly keys: RedisKeys,
    private readonly clock: Clock,
    private readonly options: ShardOptions,
  ) {}

  async consume(client: RateLimitClient, charge: Charge): Promise<RateLimitResult> {
    const [admitted, minuteUsed, minuteEnd, dayUsed, dayEnd, now] = await (client.limits.perDay === undefined
      ? this.decideCapped(client, charge)
      : this.decide(client.id, client.limits.perMinute, client.limits.perDay, charge));
    return resultOf(admitted === 1, client, {
      minuteUsed,
      minuteLeft: minuteEnd - now,
      minuteEnd,
      dayUsed,
      dayLeft: dayEnd - now,
      dayEnd,
    });
  }

  /**
   * Announces this replica and reads the number of replicas. The number falls only after 5 s of uninterrupted contact.
   */
  async announce(): Promise<void> {
    try {
      const { replica } = this.options;
      const reply = this.redis.petstoreAnnounce(this.keys.replicas, replica, SEEN_FOR / 1000);
      const count = await inTime(reply, HEARTBEAT_TIMEOUT);
      if (count < this.replicaCount && this.clock.elapsed() - this.countedAt < SEEN_FOR) return;
      this.replicaCount = count;
      this.countedAt = this.clock.elapsed();
    } catch (error) {
      this.countedAt = this.clock.elapsed();
      throw error;
    }
  }

  private async decide(
    id: RateLimitClient['id'],
    perMinute: number,
    perDay: number,
    charge: Charge,
  ): Promise<Reply> {
    const send = (...dayUsed: [] | [number]) =>
      inTime(
        this.redis.petstoreConsume(this.keys.client(id), perMinute, perDay, charge, ...dayUsed),
        this.options.timeout,
      );
    const reply = await send();
    if (reply[0] >= 0) return reply;
    return send(await this.options.usedOn(id, reply[4] / days(1) - 1));
  }

  private decideCapped({ id, limits, period }: RateLimitClient, charge: Charge): Promise<Reply> {
    const { maxAddresses, timeout } = this.options;
    const isAddress = period === undefined;
    const table = this.keys.part(isAddress ? 'addresses' : 'routes', id);
    const length = period ?? MINUTE;
    const keptFor = isAddress ? 2 * length : Math.max(2 * length, ROUTES_KEPT_FOR);
    const max = Math.max(1, Math.floor(maxAddresses / PARTS));
    return inTime(
      this.redis.petstoreConsumeCapped(table, `:${id}`, length, limits.perMinute, charge, max, keptFor),
      timeout,
    );
  }
}

/**
 * Rejects if a reply takes too long. The event loop runs timers first, then reads sockets, then runs immediates. A
 * reply that has already arrived is therefore read before the rejection, so a busy process does not mistake its own
 * delay for that of Redis.
 * @param timeout in milliseconds
 */
export function inTime<T>(reply: Promise<T>, timeout: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => setImmediate(reject, new Error('no response in time')), timeout);
    reply.then(resolve, reject).finally(() => {
      clearTimeout(timer);
    });
  });
}
