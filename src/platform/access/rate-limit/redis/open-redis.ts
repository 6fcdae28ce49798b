import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { seconds } from '../../../kernel/clock/duration.js';
import { isTls, type RedisConfig } from './redis.config.js';
import { ANNOUNCE, CONSUME, CONSUME_CAPPED } from './scripts.js';

const MAX_RECONNECT_DELAY = 500;
const CONNECT_TIMEOUT = seconds(2);
/** How long ioredis waits for a connection to close, in milliseconds. The server may be frozen. */
const DISCONNECT_TIMEOUT = 100;
/** After a node fails, the other nodes are asked at this interval for its successor. */
const SLOTS_REFRESH_INTERVAL = seconds(1);

/** Times are Unix milliseconds of the server's clock. */
export type Reply = [
  /** 1 or 0, or -1 if the hash does not contain the day. */
  admitted: number,
  minuteUsed: number,
  minuteEnd: number,
  dayUsed: number,
  dayEnd: number,
  now: number,
];

/** Redis commands defined by the scripts. */
interface Commands {
  quotaConsume(
    key: string,
    perMinute: number,
    perDay: number,
    charge: Charge,
    ...dayUsed: [] | [number]
  ): Promise<Reply>;
  quotaConsumeCapped(
    table: string,
    field: string,
    period: number,
    limit: number,
    charge: Charge,
    max: number,
    keptFor: number,
  ): Promise<Reply>;
  quotaAnnounce(replicas: string, replica: string, ttl: number): Promise<number>;
}

/** 1 charges a request, 0 does not. */
export type Charge = 1 | 0;
export type RedisWithScripts = (Redis | Cluster) & Commands;

const SCRIPTS = {
  quotaConsume: { lua: CONSUME, numberOfKeys: 1 },
  quotaConsumeCapped: { lua: CONSUME_CAPPED, numberOfKeys: 1 },
  quotaAnnounce: { lua: ANNOUNCE, numberOfKeys: 1 },
};

const reconnectDelay = (attempt: number): number => Math.min(attempt * 50, MAX_RECONNECT_DELAY);

/**
 * Creates a client for a single Redis, the master named by sentinels, or a cluster. It does not connect by
 * itself. A command is sent immediately or fails immediately, and is never repeated: it could be charged
 * twice, or long after the request was abandoned.
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
  const withScripts = (redis: Redis | Cluster) => redis as RedisWithScripts; // the types do not include `scripts`
  if (sentinels.length > 0)
    return withScripts(new Redis({ ...options, ...sentinelOptions(config), scripts: SCRIPTS }));
  if (!isCluster) return withScripts(new Redis(url, { ...options, scripts: SCRIPTS }));
  const cluster = new Cluster([addressOf(url), ...clusterNodes], {
    scripts: SCRIPTS,
    lazyConnect: true,
    enableReadyCheck: false, // it asks one node without a time limit; the heartbeat asks each master
    clusterRetryStrategy: reconnectDelay,
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    slotsRefreshInterval: SLOTS_REFRESH_INTERVAL,
    // TLS checks the host name that the node announced.
    dnsLookup: (address, callback) => {
      callback(null, address);
    },
    redisOptions: { ...options, ...accountOf(url) },
  });
  return withScripts(cluster);
}

/** How to find the master through sentinels, and how to connect to it. */
function sentinelOptions(config: RedisConfig): RedisOptions {
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
    // A master was demoted to a replica while connected. The sentinels know its successor.
    reconnectOnError: (error) => error.message.includes('READONLY'),
    connectTimeout: CONNECT_TIMEOUT,
    ...(tls && { tls, enableTLSForSentinelMode: true, sentinelTLS: tls }),
  };
}

/** TLS options for a `rediss:` URL, with the configured certificate authority, if any. */
function secureOptions({ url, ca }: RedisConfig): {
  tls?: { ca?: string };
} {
  if (url === undefined || !isTls(url)) return {};
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
