import { Logger } from '@nestjs/common';
import { Cluster, Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Config } from '../../kernel/config/config.js';
import { MINUTE, type RateLimitClient, type ClientId } from '../plan-throttler.storage.js';
import { within } from './deadline.js';
import {
  type Charge,
  type Commands,
  type Consumed,
  consumed,
  type Reply,
  type Statements,
} from './redis-commands.js';
import { ANNOUNCE, CONSUME, CONSUME_CAPPED, STATE } from './scripts.js';

/** Milliseconds. A healthy Redis answers in one; beyond this a request does not wait for it. */
const COMMAND_TIMEOUT = 50;
/** Of a capped table. */
const PARTS = 16;
const RECONNECT_AT_MOST = 500;
/** No request waits for the first contact or a heartbeat: a busy machine is not a lost Redis. */
const CONNECT_TIMEOUT = 2_000;
const HEARTBEAT_TIMEOUT = 1_000;

/** The connection to Redis. A command is sent at once or fails at once, is waited for briefly, and is never sent again. */
export class RedisLink {
  private readonly logger = new Logger(RedisLink.name);
  private readonly client: (Redis | Cluster) & Commands;
  private readonly waiting = new Set<(error: Error) => void>();

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

  async consume(
    replica: string,
    { id, limits, period = MINUTE }: RateLimitClient,
    charge: Charge,
  ): Promise<Consumed> {
    const { perMinute, perDay = 0 } = limits;
    const reply = this.client.petstoreConsume(keyOf(id), period, replica, perMinute, perDay, charge);
    return consumed(await this.wait(this.patience, reply));
  }

  /** The same, after a replica has stated what it has admitted. */
  async state(
    replica: string,
    { id, limits, period = MINUTE }: RateLimitClient,
    charge: Charge,
    { minute, day, version }: Statements,
    patience = this.patience,
  ): Promise<Consumed> {
    const reply = this.client.petstoreState(
      ...([keyOf(id), period, replica, limits.perMinute, limits.perDay ?? 0, charge] as const),
      ...([minute.end, minute.own, day.end, day.own, version] as const),
    );
    return consumed(await this.wait(patience, reply));
  }

  /** Consumes from one of any number of windows, of which a table holds so many at most. */
  async consumeCapped(
    { table, max }: { readonly table: string; readonly max: number },
    { id, limits, period = MINUTE }: RateLimitClient,
    charge: Charge,
  ): Promise<Consumed> {
    // In parts, so that the nodes of a cluster share the table; the braces keep both hashes of one in the same slot.
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
    return consumed(await this.wait(this.patience, reply));
  }

  /** Says that a replica is there. @returns how many members have said so in the last `ttl` milliseconds */
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

  /** Called when the connection is lost, whether a command was on its way or not. */
  onClose(listener: () => void): void {
    this.client.on('close', listener);
  }

  /** Ends the wait of every command: what Redis says of it later does not count. */
  abandon(error: Error): void {
    for (const reject of this.waiting) reject(error);
  }

  close(): void {
    this.client.removeAllListeners('close');
    this.client.disconnect();
  }

  private wait(patience: number, reply: Promise<Reply>): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.waiting.add(reject);
      within(patience, reply)
        .then(resolve, reject)
        .finally(() => this.waiting.delete(reject));
    });
  }
}

/** The braces make a cluster keep everything of one client in one slot. */
const keyOf = (id: ClientId): string => `petstore:{${id}}`;

function connect({ redisUrl = '', redisCluster, redisCa }: Config): Redis | Cluster {
  const options = {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    retryStrategy: (attempt: number) => Math.min(attempt * 50, RECONNECT_AT_MOST),
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
