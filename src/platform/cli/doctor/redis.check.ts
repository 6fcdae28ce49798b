import { Redis, type RedisOptions } from 'ioredis';
import { performance } from 'node:perf_hooks';
import type { RedisConfig } from '../../rate-limit/redis/redis.config.js';
import { fail, type CheckResult, ok, reasonOf, warn, addressOf } from './check-result.js';
import { seconds } from '../../clock/duration.js';
import { secureOptions, sentinelOptions } from '../../rate-limit/redis/open-redis.js';

/** Milliseconds of a round trip. A request waits for Redis for at most 1000. */
const SLOW = 10;
const PINGS = 5;

export async function checkRedis(config: RedisConfig): Promise<CheckResult[]> {
  const { url } = config;
  if (url === undefined) return [ok('redis', 'not used: quotas are counted in the memory of one process')];
  const isWatched = config.sentinels.length > 0;
  const place = isWatched ? `the master "${config.sentinelName}" of the sentinels` : addressOf(url);
  try {
    const state = await inspectRedis(url, config);
    return [
      checkVersion(state, place),
      ...checkCluster(state, config.cluster),
      checkEviction(state),
      checkAppendOnly(state),
    ];
  } catch (error) {
    const variable = isWatched ? 'REDIS_SENTINELS' : 'REDIS_URL';
    const advice = `Check that Redis runs and that ${variable} is right. Until then each process enforces its share of the limits.`;
    return [fail('redis', `no response from ${place}: ${reasonOf(error)}`, advice)];
  }
}

function checkVersion({ info, roundTrip }: RedisState, place: string): CheckResult {
  const valkey = info.get('valkey_version');
  const name = valkey === undefined ? `Redis ${info.get('redis_version') ?? ''}` : `Valkey ${valkey}`;
  const finding = `${name} at ${place}, round trip ${roundTrip.toFixed(1)} ms`;
  return roundTrip < SLOW
    ? ok('redis', finding)
    : warn('redis', finding, 'Move it closer: each request waits for it.');
}

function checkCluster({ info, cluster, fullCoverage }: RedisState, expected: boolean): CheckResult[] {
  const is = info.get('cluster_enabled') === '1';
  if (is !== expected) {
    const finding = is ? 'it is a cluster' : 'it is not a cluster';
    return [fail('redis cluster', finding, `Set REDIS_CLUSTER to ${is}.`)];
  }
  if (!is) return [ok('redis cluster', 'not a cluster')];
  if (cluster.get('cluster_state') !== 'ok')
    return [fail('redis cluster', 'the cluster is down', 'Restore its masters.')];
  const found = ok('redis cluster', `up, with ${cluster.get('cluster_size') ?? '?'} masters`);
  if (fullCoverage !== 'yes') return [found];
  const advice =
    'Set it to no. Otherwise the whole cluster stops when one master is lost, until its replica is promoted.';
  return [found, warn('redis cluster', 'cluster-require-full-coverage is yes', advice)];
}

function checkEviction({ info }: RedisState): CheckResult {
  const policy = info.get('maxmemory_policy') ?? 'unknown';
  if (policy === 'noeviction') return ok('redis memory', 'maxmemory-policy is noeviction');
  return warn(
    'redis memory',
    `maxmemory-policy is ${policy}`,
    'Set it to noeviction. Otherwise a full Redis evicts usage counts.',
  );
}

function checkAppendOnly({ info }: RedisState): CheckResult {
  if (info.get('aof_enabled') === '1') return ok('redis restart', 'the append-only file is on');
  return warn(
    'redis restart',
    'the append-only file is off',
    'Set appendonly to yes. Otherwise a restart of Redis resets every quota.',
  );
}

interface RedisState {
  /** The values of `INFO` by name. */
  readonly info: ReadonlyMap<string, string>;
  /** The values of `CLUSTER INFO` by name. */
  readonly cluster: ReadonlyMap<string, string>;
  /** `cluster-require-full-coverage`; `undefined` if the account may not read it. */
  readonly fullCoverage: string | undefined;
  /** Milliseconds. */
  readonly roundTrip: number;
}

/** Reads the state of a Redis server, of the first cluster node that responds, or of the master that Sentinel names. */
async function inspectRedis(url: string, config: RedisConfig): Promise<RedisState> {
  const nodes = config.clusterNodes.map(({ host, port }) => {
    const node = new URL(url);
    node.host = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    return node.href;
  });
  let reason: unknown;
  for (const node of [url, ...nodes]) {
    try {
      return await inspectNode(node, config);
    } catch (error) {
      reason ??= error;
    }
  }
  throw reason;
}

async function inspectNode(url: string, config: RedisConfig): Promise<RedisState> {
  const client = new Redis(url, {
    ...(config.sentinels.length > 0 ? sentinelOptions(config) : secureOptions(config)),
    ...ONCE,
  });
  let reason: Error | undefined;
  client.on('error', (error: Error) => (reason ??= error));
  try {
    await client.connect();
    const info = parseInfo(await client.info());
    const isCluster = info.get('cluster_enabled') === '1';
    return {
      roundTrip: await roundTrip(client),
      info,
      cluster: parseInfo(isCluster ? await client.cluster('INFO') : ''),
      fullCoverage: isCluster ? await fullCoverage(client) : undefined,
    };
  } catch (error) {
    throw reason ?? error; // connect() itself only reports a closed connection
  } finally {
    client.disconnect();
  }
}

/** Connect once, without retries. */
const ONCE: RedisOptions = {
  lazyConnect: true,
  connectTimeout: seconds(2),
  commandTimeout: seconds(2),
  maxRetriesPerRequest: 0,
  retryStrategy: () => null,
  sentinelRetryStrategy: () => null,
};

async function fullCoverage(client: Redis): Promise<string | undefined> {
  const reply = await client.config('GET', 'cluster-require-full-coverage').catch(() => undefined);
  return Array.isArray(reply) ? String(reply[1]) : undefined;
}

/** Milliseconds of the fastest of a few: a slow one may have waited for this process. */
async function roundTrip(client: Redis): Promise<number> {
  let fastest = Infinity;
  for (let i = 0; i < PINGS; i++) {
    const start = performance.now();
    await client.ping();
    fastest = Math.min(fastest, performance.now() - start);
  }
  return fastest;
}

/** Lines of `name:value` below headings. */
function parseInfo(text: string): Map<string, string> {
  const pairs = [...text.matchAll(/^([^#:\r\n]+):(.*?)\r?$/gm)];
  return new Map(pairs.map(([, name = '', value = '']) => [name, value]));
}
