import { Redis } from 'ioredis';
import { performance } from 'node:perf_hooks';
import { seconds } from '../../kernel/clock/duration.js';
import type { Config } from '../../kernel/config/config.js';

const PINGS = 5;

export interface RedisReport {
  /** What `INFO` says, by name. */
  readonly info: ReadonlyMap<string, string>;
  /** The median in milliseconds. */
  readonly roundTrip: number;
}

/** Asks a Redis, or the one node of a cluster that the URL names, about itself. */
export async function askRedis(url: string, { redisCa }: Pick<Config, 'redisCa'>): Promise<RedisReport> {
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
