import type { Cluster, Redis } from 'ioredis';
import { withTimeout } from '../../clock/duration.js';
import type { RedisWithScripts } from './open-redis.js';

/** Why Redis is unavailable, in words that say what to change where the cause is a setting. */
export function reasonOf(error: unknown): string {
  // The client of a cluster only says that no node responded; the last of their errors says why.
  const { lastNodeError } = error as { lastNodeError?: Error };
  const { message } = lastNodeError ?? (error instanceof Error ? error : new Error(String(error)));
  if (message.includes('cluster support disabled'))
    return `REDIS_CLUSTER is on, but this Redis is no cluster`;
  if (message.includes("permissions to run the 'select'")) return `${message}: the account lacks +select`;
  if (message.startsWith('MOVED ')) return `this Redis is a cluster: set REDIS_CLUSTER=on`;
  return message;
}

/**
 * The client selects the database of the URL when it connects, but ignores an error, and would count in database 0.
 * @throws Error that names the database
 */
export async function selectDatabase(redis: RedisWithScripts): Promise<void> {
  const { db = 0 } = redis.options as { db?: number };
  if (redis.isCluster || db === 0) return;
  await (redis as Redis).select(db).catch((error: unknown) => {
    throw new Error(`database ${db} cannot be selected, so 0 would be used: ${reasonOf(error)}`, {
      cause: error,
    });
  });
}

/** Nodes of a cluster that respond, and the rest. @throws Error if the cluster is not `ok` */
export async function inspectCluster(
  cluster: Cluster,
  timeout: number,
): Promise<{ up: string[]; down: string[] }> {
  const nodes = await Promise.all(
    cluster.nodes('all').map(async (node) => {
      const { host = '', port = 0 } = node.options;
      const pong = await withTimeout(node.ping(), timeout).catch(() => undefined);
      return { address: `${host}:${port}`, responds: pong === 'PONG' };
    }),
  );
  const addresses = (responds: boolean) =>
    nodes
      .filter((node) => node.responds === responds)
      .map(({ address }) => address)
      .sort();
  const [, state = 'unknown'] = /cluster_state:(\w+)/.exec(await cluster.cluster('INFO')) ?? [];
  if (state !== 'ok') throw new Error(`the state of the cluster is "${state}"`);
  return { up: addresses(true), down: addresses(false) };
}
