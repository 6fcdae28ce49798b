import { Logger } from '@nestjs/common';
import { Cluster, Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Config } from '../../kernel/config/config.js';
import { MINUTE, type RateLimitClient, type ClientId } from '../plan-throttler.storage.js';
import {
  type Charge,
  type Commands,
  type Consumed,
  consumed,
  type Reply,
  type Statements,
} from './redis-commands.js';
import { ANNOUNCE, CONSUME, CONSUME_CAPPED, STATE } from './scripts.js';

/** Milliseconds. A healthy Redis responds in one. */
const COMMAND_TIMEOUT = 50;
/** Hash slots of a capped table. */
const PARTS = 16;
const MAX_RECONNECT_DELAY = 500;
/** No request waits for these: a busy machine is not a lost Redis. */
const CONNECT_TIMEOUT = 2_000;
const HEARTBEAT_TIMEOUT = 1_000;

/** Sends commands to Redis. A command is sent at once or fails at once, has a short time limit, and is never sent again. */
export class RedisClient {
  private readonly logger = new Logger(RedisClient.name);
  private readonly client: (Redis | Cluster) & Commands;
  private readonly waiting = new Set<(error: Error) => void>();

  /** @param timeout of a command, in milliseconds */
  constructor(
    config: Config,
    private readonly timeout = COMMAND_TIMEOUT,
  ) {
    this.client = connect(config) as (Redis | Cluster) & Commands; // defineCommand adds what types cannot see
    this.client.on('error', (error: Error) => {
      this.logger.debug(error.message);
    });
  }

  /** Makes the first connection. ioredis replaces a lost one. */
  async connect(): Promise<void> {
    await within(CONNECT_TIMEOUT, this.client.connect());
  }

  async consume(
    replica: string,
    { id, limits, period = MINUTE }: RateLimitClient,
    charge: Charge,
  ): Promise<Consumed> {
    const { perMinute, perDay = 0 } = limits;
    const reply = this.client.petstoreConsume(keyOf(id), period, replica, perMinute, perDay, charge);
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
    const reply = this.client.petstoreState(
      ...([keyOf(id), period, replica, limits.perMinute, limits.perDay ?? 0, charge] as const),
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
    // In parts, which the nodes of a cluster share; the braces keep both hashes of a part in one slot.
    const part = `petstore:{${table}:${crc32(String(id)) % PARTS}}`;
    const half = Math.floor(max / PARTS / 2);
    const reply = this.client.petstoreConsumeCapped(
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
    const keys = ['petstore:{replicas}', 'petstore:{replicas}:life'] as const;
    const [count, current, time] = await within(
      HEARTBEAT_TIMEOUT,
      this.client.petstoreAnnounce(...keys, replica, ttl, generation, randomUUID()),
    );
    return { count, generation: current, time };
  }

  /** Called when the connection closes. */
  onClose(listener: () => void): void {
    this.client.on('close', listener);
  }

  /** Rejects every pending command. A later reply is ignored. */
  abandon(error: Error): void {
    for (const reject of this.waiting) reject(error);
  }

  close(): void {
    this.client.removeAllListeners('close');
    this.client.disconnect();
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

/** The braces keep all of one client in one slot of a cluster. */
const keyOf = (id: ClientId): string => `petstore:{${id}}`;

function connect({ redisUrl = '', redisCluster, redisCa }: Config): Redis | Cluster {
  const options = {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    retryStrategy: (attempt: number) => Math.min(attempt * 50, MAX_RECONNECT_DELAY),
    ...(redisCa !== undefined && { tls: { ca: redisCa } }),
  };
  const scripts = {
    petstoreConsume: { lua: CONSUME, numberOfKeys: 1 },
    petstoreState: { lua: STATE, numberOfKeys: 1 },
    petstoreConsumeCapped: { lua: CONSUME_CAPPED, numberOfKeys: 2 },
    petstoreAnnounce: { lua: ANNOUNCE, numberOfKeys: 2 },
  };
  if (!redisCluster) return new Redis(redisUrl, { ...options, scripts });
  return new Cluster([redisUrl], {
    lazyConnect: true,
    enableOfflineQueue: false,
    scripts,
    redisOptions: options,
  });
}

/**
 * Rejects when a reply takes longer. It reads what has arrived first: the delay of a busy process is not that of Redis.
 */
function within<T>(milliseconds: number, reply: Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const expire = () => {
      reject(new Error(`no response within ${milliseconds} ms`));
    };
    // The event loop runs timers first, then what sockets have received, then immediates.
    const timer = setTimeout(() => setImmediate(expire), milliseconds);
    reply.then(resolve, reject).finally(() => {
      clearTimeout(timer);
    });
  });
}
