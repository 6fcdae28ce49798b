import { Cluster, Redis, type RedisOptions, SentinelConnector } from 'ioredis';
import { seconds } from '../../kernel/clock/duration.js';
import type { Config } from '../../kernel/config/config.js';
import { ANNOUNCE, CONSUME, CONSUME_ALL, CONSUME_CAPPED, STATE } from './scripts.js';

const MAX_RECONNECT_DELAY = 500;
const CONNECT_TIMEOUT = seconds(2);
/** Milliseconds until a script whose two keys are in two nodes, while their slot moves, is tried once more. */
const TRY_AGAIN_DELAY = 5;
/** Redirections of a command: one by MOVED or ASK, and some attempts while a slot moves. */
const MAX_REDIRECTIONS = 5;

const SCRIPTS = {
  petstoreConsume: { lua: CONSUME, numberOfKeys: 1 },
  petstoreConsumeAll: { lua: CONSUME_ALL },
  petstoreState: { lua: STATE, numberOfKeys: 1 },
  petstoreConsumeCapped: { lua: CONSUME_CAPPED, numberOfKeys: 2 },
  petstoreAnnounce: { lua: ANNOUNCE, numberOfKeys: 1 },
};

const reconnectDelay = (attempt: number): number => Math.min(attempt * 50, MAX_RECONNECT_DELAY);

/** Milliseconds for which ioredis waits for the end of a connection, even of one that is closed already. */
const DISCONNECT_TIMEOUT = 100;
/** Of a sentinel that is listened to for failovers. */
const SENTINEL_RECONNECT_DELAY = seconds(1);

/** What the types of its connector call private. */
interface Connecting {
  connectToSentinel(endpoint: unknown, ofDetector?: RedisOptions): Redis;
}

/** A failover detector that waits for a sentinel that is down, in place of printing a stack and forgetting it. */
class PatientSentinelConnector extends SentinelConnector {
  constructor(options: unknown) {
    super(options as RedisOptions);
    const self = this as unknown as Connecting;
    const connect = self.connectToSentinel.bind(this);
    self.connectToSentinel = (endpoint, ofDetector) => {
      const patient = ofDetector && { ...ofDetector, commandTimeout: undefined, maxRetriesPerRequest: null };
      const client = connect(endpoint, { ...patient, disconnectTimeout: DISCONNECT_TIMEOUT });
      return client.on('error', () => undefined);
    };
  }
}

/** A client of the Redis, of the master that sentinels name, or of the cluster. It makes no connection by itself. */
export function openRedis(config: Config): Redis | Cluster {
  const { redisUrl = '', redisCluster, redisClusterNodes, redisSentinels } = config;
  const options = {
    ...secureOptions(config),
    lazyConnect: true,
    disconnectTimeout: DISCONNECT_TIMEOUT,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    retryStrategy: reconnectDelay,
  };
  if (redisSentinels.length > 0)
    return new Redis({ ...options, ...sentinelOptions(config), scripts: SCRIPTS });
  if (!redisCluster) return new Redis(redisUrl, { ...options, scripts: SCRIPTS });
  return new Cluster([addressOf(redisUrl), ...redisClusterNodes], {
    scripts: SCRIPTS,
    lazyConnect: true,
    clusterRetryStrategy: reconnectDelay,
    // A command that was on its way when its node went may have run: it is not sent again.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    retryDelayOnTryAgain: TRY_AGAIN_DELAY,
    maxRedirections: MAX_REDIRECTIONS,
    // TLS checks the name that the node has announced.
    dnsLookup: (address, callback) => {
      callback(null, address);
    },
    redisOptions: { ...options, ...accountOf(redisUrl), connectTimeout: CONNECT_TIMEOUT },
  });
}

/** How to find the master by the sentinels, and what to say to it. */
export function sentinelOptions(config: Config): RedisOptions {
  const { redisUrl = '', redisSentinels, redisSentinelName, redisSentinelPassword } = config;
  const { tls } = secureOptions(config);
  return {
    ...accountOf(redisUrl),
    db: Number(new URL(redisUrl).pathname.slice(1)),
    sentinels: redisSentinels.map(({ host, port }) => ({ host, port })),
    name: redisSentinelName,
    sentinelPassword: redisSentinelPassword,
    sentinelCommandTimeout: CONNECT_TIMEOUT,
    sentinelRetryStrategy: reconnectDelay,
    failoverDetector: true,
    sentinelReconnectStrategy: () => SENTINEL_RECONNECT_DELAY,
    Connector: PatientSentinelConnector,
    // A master that was made a replica while this connection stayed: sentinels know its successor.
    reconnectOnError: (error) => error.message.includes('READONLY'),
    connectTimeout: CONNECT_TIMEOUT,
    ...(tls && { tls, enableTLSForSentinelMode: true, sentinelTLS: tls }),
  };
}

/** TLS for a `rediss:` URL, with the service's own certificate authority if there is one. */
export function secureOptions({ redisUrl = '', redisCa }: Pick<Config, 'redisUrl' | 'redisCa'>): {
  tls?: { ca?: string };
} {
  if (!redisUrl.startsWith('rediss:')) return {};
  return { tls: redisCa === undefined ? {} : { ca: redisCa } };
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
