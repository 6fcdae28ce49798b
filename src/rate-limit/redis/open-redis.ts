import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { seconds } from '../../kernel/clock/duration.js';
import type { RedisConfig } from './redis.config.js';
import { ANNOUNCE, CONSUME, CONSUME_CAPPED } from './scripts.js';

const MAX_RECONNECT_DELAY = 500;
const CONNECT_TIMEOUT = seconds(2);
/** Milliseconds for which ioredis waits for the end of a connection to a server that may be frozen. */
const DISCONNECT_TIMEOUT = 100;
/** A node of a cluster that does not respond says nothing of its successor: the others are asked. */
const SLOTS_REFRESH_INTERVAL = seconds(1);

/** Times in Unix milliseconds, of the server's clock. */
export type Reply = [
  /** 1 or 0; -1 where the hash does not have the day. */
  admitted: number,
  minuteUsed: number,
  minuteEnd: number,
  dayUsed: number,
  dayEnd: number,
  now: number,
];

/** What the scripts are called by. */
interface Commands {
  petstoreConsume(
    key: string,
    perMinute: number,
    perDay: number,
    charge: Charge,
    ...dayUsed: [] | [number]
  ): Promise<Reply>;
  petstoreConsumeCapped(
    table: string,
    field: string,
    period: number,
    limit: number,
    charge: Charge,
    max: number,
    keptFor: number,
  ): Promise<Reply>;
  petstoreAnnounce(replicas: string, replica: string, ttl: number): Promise<number>;
}

/** 1 charges a request, 0 does not. */
export type Charge = 1 | 0;
export type RedisWithScripts = (Redis | Cluster) & Commands;

const SCRIPTS = {
  petstoreConsume: { lua: CONSUME, numberOfKeys: 1 },
  petstoreConsumeCapped: { lua: CONSUME_CAPPED, numberOfKeys: 1 },
  petstoreAnnounce: { lua: ANNOUNCE, numberOfKeys: 1 },
};

const reconnectDelay = (attempt: number): number => Math.min(attempt * 50, MAX_RECONNECT_DELAY);

/**
 * A client of the Redis, of the master that sentinels name, or of the cluster. It makes no connection by itself. A command is
 * sent at once or fails at once, and is never sent again: it would be charged twice, or long after it was given up.
 */
export function openRedis(config: RedisConfig): RedisWithScripts {
  const { url = '', cluster: isCluster, clusterNodes, sentinels } = config;
  const options = {
    ...secureOptions(config),
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT,
    disconnectTimeout: DISCONNECT_TIMEOUT,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    retryStrategy: reconnectDelay,
  };
  const withScripts = (redis: Redis | Cluster) => redis as RedisWithScripts; // the types do not know `scripts`
  if (sentinels.length > 0)
    return withScripts(new Redis({ ...options, ...sentinelOptions(config), scripts: SCRIPTS }));
  if (!isCluster) return withScripts(new Redis(url, { ...options, scripts: SCRIPTS }));
  const cluster = new Cluster([addressOf(url), ...clusterNodes], {
    scripts: SCRIPTS,
    lazyConnect: true,
    clusterRetryStrategy: reconnectDelay,
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    slotsRefreshInterval: SLOTS_REFRESH_INTERVAL,
    // TLS checks the name that the node has announced.
    dnsLookup: (address, callback) => {
      callback(null, address);
    },
    redisOptions: { ...options, ...accountOf(url) },
  });
  return withScripts(cluster);
}

/** How to find the master by the sentinels, and what to say to it. */
export function sentinelOptions(config: RedisConfig): RedisOptions {
  const { url = '', sentinels, sentinelName, sentinelPassword } = config;
  const { tls } = secureOptions(config);
  return {
    ...accountOf(url),
    db: Number(new URL(url).pathname.slice(1)),
    sentinels: sentinels.map(({ host, port }) => ({ host, port })),
    name: sentinelName,
    sentinelPassword,
    sentinelCommandTimeout: CONNECT_TIMEOUT,
    sentinelRetryStrategy: reconnectDelay,
    // A master that was made a replica while this connection stayed: sentinels know its successor.
    reconnectOnError: (error) => error.message.includes('READONLY'),
    connectTimeout: CONNECT_TIMEOUT,
    ...(tls && { tls, enableTLSForSentinelMode: true, sentinelTLS: tls }),
  };
}

/** TLS for a `rediss:` URL, with the service's own certificate authority if there is one. */
export function secureOptions({ url = '', ca }: RedisConfig): {
  tls?: { ca?: string };
} {
  if (!url.startsWith('rediss:')) return {};
  return { tls: ca === undefined ? {} : { ca } };
}

function accountOf(url: string): Pick<RedisOptions, 'username' | 'password'> {
  const { username, password } = new URL(url);
  return {
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
  };
}

function addressOf(url: string): { host: string; port: number } {
  const { hostname, port } = new URL(url);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? 6379 : Number(port) };
}
