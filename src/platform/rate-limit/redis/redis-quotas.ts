import { crc32 } from 'node:zlib';
import { days, resultWithin } from '../../clock/duration.js';
import { SERVICE } from '../../config/service.js';
import { ADDRESS, type Counted, type Decided, decided } from '../quota.js';
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
  readonly usedOn: (key: string, day: number) => Promise<number>;
}

/**
 * Where a client is counted. It has one hash tag, so that both windows are in one slot of a cluster, and counts of one table spread over its
 * masters. Other names would begin new counts.
 */
export function hashOf({ key, perDay, name }: Counted): string {
  const tag =
    perDay === undefined ? `${name === ADDRESS ? 'addresses' : 'routes'}:${crc32(key) % PARTS}` : key;
  return `${SERVICE.prefix}:{${tag}}`;
}

/** The counts of all clients, in Redis. */
export class RedisQuotas {
  constructor(
    private readonly redis: RedisWithScripts,
    private readonly options: QuotaOptions,
  ) {}

  /** @throws Error if Redis does not respond in time */
  async decide(counted: Counted, charge: Charge): Promise<Decided> {
    const { perDay } = counted;
    const [admitted, used, end, dayUsed, dayEnd, now] = await (perDay === undefined
      ? this.decideCapped(counted, charge)
      : this.decideBoth(counted, perDay, charge));
    return decided(admitted === 1, counted, {
      used,
      left: end - now,
      end,
      dayUsed,
      dayLeft: dayEnd - now,
      dayEnd,
    });
  }

  private async decideBoth(counted: Counted, perDay: number, charge: Charge): Promise<Reply> {
    const { key, limit: perMinute } = counted;
    const hash = hashOf(counted);
    const send = (...dayUsed: [] | [number]) =>
      inTime(this.redis.petstoreConsume(hash, perMinute, perDay, charge, ...dayUsed), this.options.timeout);
    const reply = await send();
    if (reply[0] >= 0) return reply;
    return send(await this.options.usedOn(key, reply[4] / days(1) - 1));
  }

  private decideCapped(counted: Counted, charge: Charge): Promise<Reply> {
    const { key, ttl, limit, name } = counted;
    const { maxAddresses, timeout } = this.options;
    const isAddress = name === ADDRESS;
    const table = hashOf(counted);
    const keptFor = isAddress ? 2 * ttl : Math.max(2 * ttl, ROUTES_KEPT_FOR);
    const max = Math.max(1, Math.floor(maxAddresses / PARTS));
    return inTime(
      this.redis.petstoreConsumeCapped(table, `:${key}`, ttl, limit, charge, max, keptFor),
      timeout,
    );
  }
}

/** @param timeout in milliseconds @throws Error if a reply takes longer */
export async function inTime<T>(reply: Promise<T>, timeout: number): Promise<T> {
  const result = await resultWithin(
    timeout,
    reply.then((value) => ({ value })),
  );
  if (!result) throw new Error('no response in time');
  return result.value;
}
