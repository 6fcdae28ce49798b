import type { Config } from '../../kernel/config/config.js';
import { fail, type Finding, ok, reasonOf, warn, whereTo } from './finding.js';
import { askRedis, type RedisReport } from './redis.js';

/** Milliseconds. A request waits 50 for Redis at most, so that a normal answer has to be well below. */
const SLOW = 10;

export async function checkRedis(config: Config): Promise<Finding[]> {
  const { redisUrl } = config;
  if (redisUrl === undefined) return [ok('redis', 'not used: one process counts the quotas in its memory')];
  try {
    const report = await askRedis(redisUrl, config);
    return [
      checkAnswer(report, redisUrl),
      checkCluster(report, config.redisCluster),
      checkEviction(report),
      checkAppendOnly(report),
    ];
  } catch (error) {
    const advice =
      'Check that Redis runs and that REDIS_URL is right. Until then each process counts its share.';
    return [fail('redis', `no answer from ${whereTo(redisUrl)}: ${reasonOf(error)}`, advice)];
  }
}

function checkAnswer({ info, roundTrip }: RedisReport, url: string): Finding {
  const valkey = info.get('valkey_version');
  const name = valkey === undefined ? `Redis ${info.get('redis_version') ?? ''}` : `Valkey ${valkey}`;
  const finding = `${name} at ${whereTo(url)}, round trip ${roundTrip.toFixed(1)} ms`;
  return roundTrip < SLOW
    ? ok('redis', finding)
    : warn('redis', finding, 'Bring it closer: after 50 ms a request is counted without it.');
}

function checkCluster({ info }: RedisReport, expected: boolean): Finding {
  const cluster = info.get('cluster_enabled') === '1';
  if (cluster === expected) return ok('redis cluster', cluster ? 'one node of a cluster' : 'no cluster');
  return fail(
    'redis cluster',
    cluster ? 'it is a cluster' : 'it is no cluster',
    `Set REDIS_CLUSTER to ${cluster}.`,
  );
}

function checkEviction({ info }: RedisReport): Finding {
  const policy = info.get('maxmemory_policy') ?? 'unknown';
  if (policy === 'noeviction') return ok('redis memory', 'maxmemory-policy is noeviction');
  return warn(
    'redis memory',
    `maxmemory-policy is ${policy}`,
    'Set it to noeviction, or a full Redis forgets what keys have used.',
  );
}

function checkAppendOnly({ info }: RedisReport): Finding {
  if (info.get('aof_enabled') === '1') return ok('redis restart', 'the append-only file is on');
  return warn(
    'redis restart',
    'the append-only file is off',
    'Set appendonly to yes, or a restart of Redis gives every key a fresh quota.',
  );
}
