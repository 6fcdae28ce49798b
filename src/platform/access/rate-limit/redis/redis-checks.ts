import type { Cluster, Redis } from 'ioredis';
import { withTimeout } from '../../../kernel/clock/duration.js';
import { service } from '../../../kernel/config/service.js';
import type { RedisWithScripts } from './open-redis.js';

/** Without what Redis and its client add: which script failed, when they try again, and a full stop. */
const trimmed = (message: string): string =>
  message
    .replace(/ ?script: [^]*$/, '')
    .replace(/ Retrying from scratch after \d+ms\./, '')
    .replace(/[\s.]+$/, '');

/** Why Redis is unavailable, in words that say what to change where the cause is a setting. */
export function reasonOf(error: unknown): string {
  // The client of a cluster only says that no node responded; the last of their errors says why.
  const { lastNodeError } = error as { lastNodeError?: Error };
  const { message: whole } = lastNodeError ?? (error instanceof Error ? error : new Error(String(error)));
  const message = trimmed(whole);
  if (message.includes('cluster support disabled'))
    return `REDIS_CLUSTER is on, but this Redis is no cluster`;
  if (message.includes("permissions to run the 'select'")) return `${message}: the account lacks +select`;
  if (message.startsWith('OOM ')) return 'it is full: raise its maxmemory';
  const sentinels = /^All sentinels are unreachable(?:.*Last error: (?<why>.*))?/.exec(message)?.groups;
  if (sentinels) return `no sentinel names the master (${sentinels.why ?? 'check REDIS_SENTINEL_NAME'})`;
  if (message.startsWith('MOVED ')) return `this Redis is a cluster: set REDIS_CLUSTER=on`;
  return message;
}

/**
 * The client selects the database of the URL when it connects, but ignores an error, and would count in
 * database 0.
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

/** How many keys the check of doctor counts in. A node of a cluster refuses the keys of other nodes only. */
const KEYS = 100;
/** How long they last, in milliseconds. */
const KEPT_FOR = 1_000;

/**
 * Counts as the service does, in keys of its own that expire at once.
 * @param isLeftOut whether the master of a key does not respond, which is known already
 * @throws Error that Redis gives the service, such as that it is full, or a node of a cluster
 */
export async function tryCounting(
  redis: RedisWithScripts,
  timeout: number,
  isLeftOut: (key: string) => boolean = () => false,
): Promise<void> {
  const keys = Array.from({ length: KEYS }, (_, n) => `${service().prefix}:{doctor:${n}}`);
  const counting = keys
    .filter((key) => !isLeftOut(key))
    .flatMap((key) => [
      redis.quotaConsumeCapped(key, ':doctor', KEPT_FOR, 1, 1, 1, KEPT_FOR),
      redis.quotaAnnounce(`${key}:seen`, 'doctor', KEPT_FOR / 1000),
    ]);
  await withTimeout(Promise.all(counting), timeout);
}

/**
 * Nodes of a cluster that respond, and the rest.
 * @throws Error if a node says that the cluster is not `ok`, or none responds
 */
export async function inspectCluster(
  cluster: Cluster,
  timeout: number,
): Promise<{ up: string[]; down: string[] }> {
  const nodes = await Promise.all(
    cluster.nodes('all').map(async (node) => {
      const { host = '', port = 0 } = node.options;
      const info = await withTimeout(node.cluster('INFO'), timeout).catch(String);
      return { address: `${host}:${port}`, info, state: /cluster_state:(\w+)/.exec(info)?.[1] };
    }),
  );
  const wrong = nodes.find(({ state }) => state !== undefined && state !== 'ok');
  if (wrong) throw new Error(`${wrong.address} says that the state of the cluster is "${wrong.state}"`);
  const addresses = (responds: boolean) =>
    nodes
      .filter(({ state }) => (state === 'ok') === responds)
      .map(({ address }) => address)
      .sort();
  if (addresses(true).length === 0) throw new Error(`no node responds: ${nodes[0]?.info ?? ''}`);
  return { up: addresses(true), down: addresses(false) };
}
