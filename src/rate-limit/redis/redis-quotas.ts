import { crc32 } from 'node:zlib';
import { days } from '../../kernel/clock/duration.js';
import { SERVICE } from '../../kernel/service.js';
import {
  type ClientId,
  MINUTE,
  type RateLimitClient,
  type RateLimitResult,
  resultOf,
} from '../rate-limit.result.js';
import type { Charge, RedisWithScripts, Reply } from './open-redis.js';

/** Windows of different routes share a table, and may be long. */
const ROUTES_KEPT_FOR = days(30);
/** The number of hashes of a size-limited table. */
const PARTS = 16;

interface QuotaOptions {
  /** Milliseconds that a request waits for Redis. */
  readonly timeout: number;
  /** Maximum number of addresses counted at a time. */
  readonly maxAddresses: number;
  /** Returns a key's recorded usage on a day (since 1970-01-01). */
  readonly usedOn: (id: ClientId, day: number) => Promise<number>;
}

/** The counts of all clients, in Redis. The part of a name in braces determines the slot in a cluster. */
export class RedisQuotas {
  constructor(
    private readonly redis: RedisWithScripts,
    private readonly options: QuotaOptions,
  ) {}

  /** @throws Error if Redis does not respond in time */
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

  private async decide(id: ClientId, perMinute: number, perDay: number, charge: Charge): Promise<Reply> {
    const key = `${SERVICE.prefix}:{${id}}`;
    const send = (...dayUsed: [] | [number]) =>
      inTime(this.redis.petstoreConsume(key, perMinute, perDay, charge, ...dayUsed), this.options.timeout);
    const reply = await send();
    if (reply[0] >= 0) return reply;
    return send(await this.options.usedOn(id, reply[4] / days(1) - 1));
  }

  private decideCapped({ id, limits, period }: RateLimitClient, charge: Charge): Promise<Reply> {
    const { maxAddresses, timeout } = this.options;
    const isAddress = period === undefined;
    const key = `${SERVICE.prefix}:{${isAddress ? 'addresses' : 'routes'}:${crc32(String(id)) % PARTS}}`;
    const length = period ?? MINUTE;
    const keptFor = isAddress ? 2 * length : Math.max(2 * length, ROUTES_KEPT_FOR);
    const max = Math.max(1, Math.floor(maxAddresses / PARTS));
    return inTime(
      this.redis.petstoreConsumeCapped(key, `:${id}`, length, limits.perMinute, charge, max, keptFor),
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
