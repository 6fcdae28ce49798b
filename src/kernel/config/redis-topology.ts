import type { Address, Variables } from './variables.js';

/** One Redis, the master that sentinels know, or a cluster. */
export interface RedisTopology {
  readonly cluster: boolean;
  readonly clusterNodes: readonly Address[];
  readonly sentinels: readonly Address[];
  readonly sentinelName: string;
  readonly sentinelPassword: string | undefined;
}

const REDIS_PORT = 6379;
const SENTINEL_PORT = 26_379;

export function redisTopology(variables: Variables, redisUrl: string | undefined): RedisTopology {
  const cluster = variables.flag('REDIS_CLUSTER', false);
  const clusterNodes = variables.addresses('REDIS_CLUSTER_NODES', REDIS_PORT);
  const sentinels = variables.addresses('REDIS_SENTINELS', SENTINEL_PORT);
  if (cluster) variables.needs('REDIS_CLUSTER', 'REDIS_URL');
  if (clusterNodes.length > 0 && !cluster)
    variables.problems.set('REDIS_CLUSTER_NODES', 'REDIS_CLUSTER_NODES needs REDIS_CLUSTER=true.');
  if (sentinels.length > 0 && cluster)
    variables.problems.set('REDIS_SENTINELS', 'REDIS_SENTINELS and REDIS_CLUSTER exclude each other.');
  if (sentinels.length > 0 && redisUrl === undefined && !hasProblem(variables))
    variables.problems.set(
      'REDIS_SENTINELS',
      'REDIS_SENTINELS needs REDIS_URL, for the scheme, the user and the password.',
    );
  return {
    cluster,
    clusterNodes,
    sentinels,
    sentinelName: variables.optional('REDIS_SENTINEL_NAME') ?? 'mymaster',
    sentinelPassword: variables.secret('REDIS_SENTINEL_PASSWORD'),
  };
}

const hasProblem = ({ problems }: Variables): boolean =>
  problems.has('REDIS_URL') || problems.has('REDIS_URL_FILE');
