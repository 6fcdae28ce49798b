import { Logger } from '@nestjs/common';
import { Cluster, Redis } from 'ioredis';
import { crc32 } from 'node:zlib';
import type { Config } from '../../kernel/config/config.js';
import type { Counts } from '../counts.js';
import { within } from './deadline.js';
import { REPAY, TAKE, TAKE_CAPPED } from './scripts.js';

/** Milliseconds. A healthy Redis answers in one; beyond this a request does not wait for it. */
const COMMAND_TIMEOUT = 50;
/** Of a capped table. */
const PARTS = 16;
const RECONNECT_AT_MOST = 500;
/** No request waits for the first contact or a heartbeat: a busy machine is not a lost Redis. */
const CONNECT_TIMEOUT = 2_000;
const HEARTBEAT_TIMEOUT = 1_000;

/** Times in Unix milliseconds, of the server's clock. */
type Reply = [
  admitted: number,
  minuteUsed: number,
  minuteEnd: number,
  dayUsed: number,
  dayEnd: number,
  now: number,
];

interface Commands {
  petstoreTake(
    key: string,
    period: number,
    perMinute: number,
    perDay: number,
    charge: number,
  ): Promise<Reply>;
  petstoreTakeCapped(
    young: string,
    old: string,
    field: string,
    period: number,
    limit: number,
    charge: number,
    half: number,
  ): Promise<Reply>;
  petstoreRepay(
    key: string,
    period: number,
    minute: number,
    age: number,
    day: number,
    date: number,
  ): Promise<Reply>;
}

export interface Taken extends Counts {
  readonly admitted: boolean;
}

/** The connection to Redis. A command is sent at once or fails at once, is waited for briefly, and is never sent again. */
export class RedisLink {
  private readonly logger = new Logger(RedisLink.name);
  private readonly client: (Redis | Cluster) & Commands;

  /** @param patience milliseconds that a request waits for an answer */
  constructor(
    config: Config,
    private readonly patience = COMMAND_TIMEOUT,
  ) {
    this.client = connect(config) as (Redis | Cluster) & Commands; // defineCommand adds what types cannot see
    this.client.on('error', (error: Error) => {
      this.logger.debug(error.message);
    });
  }

  /** Makes the first connection; a lost one is made again by itself. */
  async connect(): Promise<void> {
    await within(CONNECT_TIMEOUT, this.client.connect());
  }

  async take(key: string, period: number, perMinute: number, perDay: number, charge: 0 | 1): Promise<Taken> {
    return taken(
      await within(this.patience, this.client.petstoreTake(key, period, perMinute, perDay, charge)),
    );
  }

  /** Takes from one of any number of windows, of which a table holds so many at most. */
  async takeCapped(
    { table, most }: { readonly table: string; readonly most: number },
    id: string,
    period: number,
    limit: number,
    charge: 0 | 1,
  ): Promise<Taken> {
    // In parts, so that the nodes of a cluster share the table; the braces keep both hashes of one in the same slot.
    const part = `petstore:{${table}:${crc32(id) % PARTS}}`;
    const half = Math.floor(most / PARTS / 2);
    return taken(
      await within(
        this.patience,
        this.client.petstoreTakeCapped(`${part}:young`, `${part}:old`, `:${id}`, period, limit, charge, half),
      ),
    );
  }

  async repay(
    key: string,
    period: number,
    minute: number,
    age: number,
    day: number,
    date: number,
  ): Promise<void> {
    await within(this.patience, this.client.petstoreRepay(key, period, minute, age, day, date));
  }

  /** Says that this replica is there. @returns how many have said so in the last `ttl` milliseconds */
  async announce(replica: string, ttl: number): Promise<number> {
    const script = `
      local now = redis.call('TIME')[1]
      redis.call('ZADD', KEYS[1], now, ARGV[1])
      redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2] / 1000)
      return redis.call('ZCARD', KEYS[1])`;
    return Number(
      await within(HEARTBEAT_TIMEOUT, this.client.eval(script, 1, 'petstore:{replicas}', replica, ttl)),
    );
  }

  close(): void {
    this.client.disconnect();
  }
}

function connect({ redisUrl = '', redisCluster, redisCa }: Config): Redis | Cluster {
  const options = {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt: number) => Math.min(attempt * 50, RECONNECT_AT_MOST),
    ...(redisCa !== undefined && { tls: { ca: redisCa } }),
  };
  const scripts = {
    petstoreTake: { lua: TAKE, numberOfKeys: 1 },
    petstoreTakeCapped: { lua: TAKE_CAPPED, numberOfKeys: 2 },
    petstoreRepay: { lua: REPAY, numberOfKeys: 1 },
  };
  if (!redisCluster) return new Redis(redisUrl, { ...options, scripts });
  return new Cluster([redisUrl], {
    lazyConnect: true,
    enableOfflineQueue: false,
    scripts,
    redisOptions: options,
  });
}

function taken([admitted, minuteUsed, minuteEnd, dayUsed, dayEnd, now]: Reply): Taken {
  return {
    admitted: admitted === 1,
    minuteUsed,
    minuteLeft: minuteEnd - now,
    minuteEnd,
    dayUsed,
    dayLeft: dayEnd - now,
    dayEnd,
  };
}
