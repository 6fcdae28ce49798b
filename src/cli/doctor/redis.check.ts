import { Redis } from 'ioredis';
import { performance } from 'node:perf_hooks';
import type { Config } from '../../kernel/config/config.js';
import { fail, type CheckResult, ok, reasonOf, warn, addressOf } from './check-result.js';
import { seconds } from '../../kernel/clock/duration.js';

/** Milliseconds. A request waits at most 50 for Redis. */
const SLOW = 10;

export async function checkRedis(config: Config): Promise<CheckResult[]> {
  const { redisUrl } = config;
  if (redisUrl === undefined) return [ok('redis', 'not used: one process counts the quotas in its memory')];
  try {
    const state = await inspectRedis(redisUrl, config);
    return [
      checkVersion(state, redisUrl),
      checkCluster(state, config.redisCluster),
      checkEviction(state),
      checkAppendOnly(state),
    ];
  } catch (error) {
    const advice =
      'Check that Redis runs and that REDIS_URL is right. Until then each process counts its share.';
    return [fail('redis', `no response from ${addressOf(redisUrl)}: ${reasonOf(error)}`, advice)];
  }
}

function checkVersion({ info, roundTrip }: RedisState, url: string): CheckResult {
  const valkey = info.get('valkey_version');
  const name = valkey === undefined ? `Redis ${info.get('redis_version') ?? ''}` : `Valkey ${valkey}`;
  const finding = `${name} at ${addressOf(url)}, round trip ${roundTrip.toFixed(1)} ms`;
  return roundTrip < SLOW
    ? ok('redis', finding)
    : warn('redis', finding, 'Move it closer: after 50 ms a request is counted without Redis.');
}

function checkCluster({ info }: RedisState, expected: boolean): CheckResult {
  const cluster = info.get('cluster_enabled') === '1';
  if (cluster === expected) return ok('redis cluster', cluster ? 'one node of a cluster' : 'not a cluster');
  return fail(
    'redis cluster',
    cluster ? 'it is a cluster' : 'it is not a cluster',
    `Set REDIS_CLUSTER to ${cluster}.`,
  );
}

function checkEviction({ info }: RedisState): CheckResult {
  const policy = info.get('maxmemory_policy') ?? 'unknown';
  if (policy === 'noeviction') return ok('redis memory', 'maxmemory-policy is noeviction');
  return warn(
    'redis memory',
    `maxmemory-policy is ${policy}`,
    'Set it to noeviction. Otherwise a full Redis evicts the usage of keys.',
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

const PINGS = 5;

interface RedisState {
  /** The values of `INFO` by name. */
  readonly info: ReadonlyMap<string, string>;
  /** Median in milliseconds. */
  readonly roundTrip: number;
}

/** Inspects a Redis, or the node of a cluster that the URL names. */
async function inspectRedis(url: string, { redisCa }: Pick<Config, 'redisCa'>): Promise<RedisState> {
  const client = new Redis(url, {
    lazyConnect: true,
    connectTimeout: seconds(2),
    commandTimeout: seconds(2),
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    ...(redisCa !== undefined && { tls: { ca: redisCa } }),
  });
  let reason: Error | undefined;
  client.on('error', (error: Error) => (reason ??= error));
  try {
    await client.connect();
    return { roundTrip: await roundTrip(client), info: parseInfo(await client.info()) };
  } catch (error) {
    throw reason ?? error; // connect() itself only says that the connection is closed
  } finally {
    client.disconnect();
  }
}

async function roundTrip(client: Redis): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < PINGS; i++) {
    const start = performance.now();
    await client.ping();
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b)[Math.floor(PINGS / 2)] ?? 0;
}

/** Lines of `name:value` below headings. */
function parseInfo(text: string): Map<string, string> {
  const pairs = [...text.matchAll(/^([^#:\r\n]+):(.*?)\r?$/gm)];
  return new Map(pairs.map(([, name = '', value = '']) => [name, value]));
}
