import type { Variables } from '../../../kernel/config/variables.js';
import { isDecodable } from '../../../kernel/errors/route.errors.js';

interface Address {
  readonly host: string;
  readonly port: number;
}

const REDIS_PORT = 6379;
const SENTINEL_PORT = 26_379;

/** A single Redis, the master named by sentinels, or a cluster. */
export class RedisConfig {
  /** If absent, this process counts quotas in memory, which is exact for a single process. */
  readonly url: string | undefined;
  /** Whether `url` names a node of a Redis Cluster. */
  readonly cluster: boolean;
  /** Initial nodes of the cluster, in addition to that of `url`. */
  readonly clusterNodes: readonly Address[];
  /** Sentinels that know the master. With sentinels, the host of `url` is not used. */
  readonly sentinels: readonly Address[];
  readonly sentinelName: string;
  readonly sentinelPassword: string | undefined;
  /** PEM of a certificate authority for a `rediss:` server, instead of those of Node.js. */
  readonly ca: string | undefined;

  constructor(variables: Variables) {
    this.url = redisUrl(variables);
    this.cluster = variables.flag('REDIS_CLUSTER', false);
    this.clusterNodes = addresses(variables, 'REDIS_CLUSTER_NODES', REDIS_PORT);
    this.sentinels = addresses(variables, 'REDIS_SENTINELS', SENTINEL_PORT);
    this.sentinelName = variables.optional('REDIS_SENTINEL_NAME') ?? 'mymaster';
    this.sentinelPassword = variables.secret('REDIS_SENTINEL_PASSWORD');
    this.ca = variables.file('REDIS_CA_FILE');
    if (this.cluster) this.checkCluster(variables);
    if (this.clusterNodes.length > 0 && !this.cluster)
      variables.problems.set('REDIS_CLUSTER_NODES', 'REDIS_CLUSTER_NODES needs REDIS_CLUSTER=true.');
    if (this.sentinels.length > 0) this.checkSentinels(variables);
    else if (!variables.problems.has('REDIS_SENTINELS')) refuseSentinelSettings(variables);
    if (variables.optional('REDIS_CA_FILE') !== undefined && this.url !== undefined && !isTls(this.url))
      variables.problems.set('REDIS_CA_FILE', 'REDIS_CA_FILE needs a REDIS_URL that starts with rediss://.');
  }

  private checkCluster(variables: Variables): void {
    variables.needs('REDIS_CLUSTER', 'REDIS_URL');
    if (this.url !== undefined && !/^\/?0?$/.test(new URL(this.url).pathname))
      variables.problems.set(
        'REDIS_CLUSTER',
        'REDIS_CLUSTER needs a REDIS_URL without a database: a cluster has only 0.',
      );
  }

  private checkSentinels({ problems }: Variables): void {
    if (this.cluster)
      problems.set('REDIS_SENTINELS', 'REDIS_SENTINELS and REDIS_CLUSTER exclude each other.');
    if (this.url === undefined && !problems.has('REDIS_URL') && !problems.has('REDIS_URL_FILE'))
      problems.set(
        'REDIS_SENTINELS',
        'REDIS_SENTINELS needs REDIS_URL, for the scheme, the user and the password.',
      );
  }
}

/** Whether a URL has the scheme `rediss`, in any case (RFC 3986, section 3.1). */
export const isTls = (url: string): boolean => new URL(url).protocol === 'rediss:';

/** Without sentinels, the client would use none of these. */
function refuseSentinelSettings(variables: Variables): void {
  for (const name of ['REDIS_SENTINEL_NAME', 'REDIS_SENTINEL_PASSWORD', 'REDIS_SENTINEL_PASSWORD_FILE'])
    if (variables.optional(name) !== undefined)
      variables.problems.set(name, `${name} needs REDIS_SENTINELS.`);
}

/**
 * What the client would make of another path or user is an error in the middle of the start, or database 0.
 */
function redisUrl(variables: Variables): string | undefined {
  const url = variables.secretUrl('REDIS_URL', ['redis:', 'rediss:']);
  if (url === undefined) return undefined;
  const { pathname, username, password, searchParams } = new URL(url);
  if (searchParams.has('db') || !/^\/?\d{0,9}$/.test(pathname)) {
    variables.refuse('REDIS_URL', 'must name its database by a number, such as redis://host:6379/2');
    return;
  }
  if (!isDecodable(username) || !isDecodable(password)) {
    variables.refuse('REDIS_URL', 'must have each % of its user and password as %25');
    return;
  }
  return url;
}

/** Comma-separated hosts, each with an optional port. */
function addresses(
  variables: Variables,
  name: 'REDIS_CLUSTER_NODES' | 'REDIS_SENTINELS',
  defaultPort: number,
): readonly Address[] {
  const found: Address[] = [];
  for (const item of variables.list(name)) {
    const url = URL.canParse(`redis://${item}`) ? new URL(`redis://${item}`) : undefined;
    if (!url || url.hostname === '' || !/^[^/@?#]+$/.test(item))
      return variables.reject<readonly Address[]>(name, item, 'hosts such as redis-1:6379, with commas', []);
    const host = url.hostname.replace(/^\[|\]$/g, '');
    found.push({ host, port: url.port === '' ? defaultPort : Number(url.port) });
  }
  return found;
}
