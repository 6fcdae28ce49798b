import { performance } from 'node:perf_hooks';
import { seconds } from '../../clock/duration.js';
import { openRedis } from '../../rate-limit/redis/open-redis.js';
import { inTime } from '../../rate-limit/redis/redis-quotas.js';
import type { RedisConfig } from '../../rate-limit/redis/redis.config.js';
import { addressOf, type CheckResult, fail, ok, reasonOf } from './check-result.js';

const TIMEOUT = seconds(2);

/** Connects as the service does, and pings. */
export async function checkRedis(config: RedisConfig): Promise<CheckResult[]> {
  const { url, sentinels, sentinelName } = config;
  if (url === undefined) return [ok('redis', 'not used: quotas are counted in the memory of one process')];
  const isWatched = sentinels.length > 0;
  const place = isWatched ? `the master "${sentinelName}" of the sentinels` : addressOf(url);
  const redis = openRedis(config);
  let reason: unknown;
  redis.on('error', (error: Error) => (reason ??= error));
  try {
    await inTime(redis.connect(), TIMEOUT);
    const start = performance.now();
    await inTime(redis.ping(), TIMEOUT);
    return [ok('redis', `${place} responds, round trip ${(performance.now() - start).toFixed(1)} ms`)];
  } catch (error) {
    const variable = isWatched ? 'REDIS_SENTINELS' : 'REDIS_URL';
    const advice = `Check that Redis runs and that ${variable} is right. Until then each process enforces its share of the limits.`;
    return [fail('redis', `no response from ${place}: ${reasonOf(reason ?? error)}`, advice)]; // connect() itself names no reason
  } finally {
    redis.disconnect();
  }
}
