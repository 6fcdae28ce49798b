import { crc32 } from 'node:zlib';
import { days, withTimeout } from '../../../kernel/clock/duration.js';
import { service } from '../../../kernel/config/service.js';
import {
  type CountedKey,
  type CountedWindow,
  type QuotaSubject,
  type QuotaResult,
  toQuotaResult,
} from '../quota.js';
import type { Charge, RedisWithScripts, Reply } from './open-redis.js';

/** Windows of different routes share a table, and may be long. */
const ROUTES_KEPT_FOR = days(30);
/** Those of limited size. */
const TABLES = { address: 'addresses', route: 'routes' } as const;
/** The number of hashes of a table. */
const PARTS = 16;

interface QuotaOptions {
  /** Milliseconds that a request waits for Redis. */
  readonly timeout: number;
  /** Maximum number of addresses counted at a time. */
  readonly maxAddresses: number;
  /**
   * Returns a key's recorded usage on a day (since 1970-01-01). While PostgreSQL is unavailable, that is what
   * this process has counted if the day has just begun in Redis, and otherwise undefined.
   */
  readonly usedOn: (keyId: string, day: number, hasBegun: boolean) => Promise<number | undefined>;
}

/**
 * Where a client is counted. It has one hash tag, so that both windows are in one slot of a cluster, and
 * counts of one table spread over its masters. Other names would begin new counts.
 */
export function hashOf({ kind, id }: QuotaSubject): string {
  const tag = kind === 'key' ? id : `${TABLES[kind]}:${crc32(id) % PARTS}`;
  return `${service().prefix}:{${tag}}`;
}

/** The counts of all clients, in Redis. */
export class RedisQuotas {
  constructor(
    private readonly redis: RedisWithScripts,
    private readonly options: QuotaOptions,
  ) {}

  /**
   * @returns undefined if neither Redis nor PostgreSQL has the day's count of the key
   * @throws Error if Redis does not respond in time
   */
  async decide(subject: QuotaSubject, charge: Charge): Promise<QuotaResult | undefined> {
    const reply = await (subject.kind === 'key'
      ? this.decideBoth(subject, charge)
      : this.decideCapped(subject, charge));
    if (!reply) return undefined;
    const [admitted, used, end, dayUsed, dayEnd, now] = reply;
    return toQuotaResult(admitted === 1, subject, {
      used,
      left: end - now,
      end,
      dayUsed,
      dayLeft: dayEnd - now,
      dayEnd,
    });
  }

  private async decideBoth(subject: CountedKey, charge: Charge): Promise<Reply | undefined> {
    const { id, limit: perMinute, perDay } = subject;
    const hash = hashOf(subject);
    const send = (...dayUsed: [] | [number]) =>
      withTimeout(this.redis.quotaConsume(hash, perMinute, perDay, charge, ...dayUsed), this.options.timeout);
    const reply = await send();
    if (reply[0] >= 0) return reply;
    const dayUsed = await this.options.usedOn(id, reply[4] / days(1) - 1, reply[3] === 1);
    return dayUsed === undefined ? undefined : send(dayUsed);
  }

  private decideCapped(subject: CountedWindow, charge: Charge): Promise<Reply> {
    const { kind, id, ttl, limit } = subject;
    const { maxAddresses, timeout } = this.options;
    const table = hashOf(subject);
    const keptFor = kind === 'address' ? 2 * ttl : Math.max(2 * ttl, ROUTES_KEPT_FOR);
    const max = Math.max(1, Math.floor(maxAddresses / PARTS));
    return withTimeout(
      this.redis.quotaConsumeCapped(table, `:${id}`, ttl, limit, charge, max, keptFor),
      timeout,
    );
  }
}
