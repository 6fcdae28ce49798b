import type { Variables } from '../../config/variables.js';

interface Address {
  readonly host: string;
  readonly port: number;
}

const SENTINEL_PORT = 26_379;

/** A single Redis, or the master named by sentinels. */
export class RedisConfig {
  /** If absent, this process counts quotas in memory, which is exact for a single process. */
  readonly url: string | undefined;
  /** Sentinels that know the master. With sentinels, the host of `url` is not used. */
  readonly sentinels: readonly Address[];
  readonly sentinelName: string;
  readonly sentinelPassword: string | undefined;
  /** PEM of a certificate authority for a `rediss:` server, in addition to those of the system. */
  readonly ca: string | undefined;

  constructor(variables: Variables) {
    this.url = variables.secretUrl('REDIS_URL', ['redis:', 'rediss:']);
    this.sentinels = addresses(variables, 'REDIS_SENTINELS');
    this.sentinelName = variables.optional('REDIS_SENTINEL_NAME') ?? 'mymaster';
    this.sentinelPassword = variables.secret('REDIS_SENTINEL_PASSWORD');
    this.ca = variables.file('REDIS_CA_FILE');
    // It has the scheme, the user and the password.
    if (this.sentinels.length > 0) variables.needs('REDIS_SENTINELS', 'REDIS_URL');
  }
}

/** Comma-separated hosts, each with an optional port. */
function addresses(variables: Variables, name: 'REDIS_SENTINELS'): readonly Address[] {
  const found: Address[] = [];
  for (const item of variables.list(name)) {
    const url = URL.canParse(`redis://${item}`) ? new URL(`redis://${item}`) : undefined;
    if (!url || url.hostname === '' || !/^[^/@?#]+$/.test(item))
      return variables.reject<readonly Address[]>(
        name,
        item,
        'hosts such as sentinel-1:26379, with commas',
        [],
      );
    const host = url.hostname.replace(/^\[|\]$/g, '');
    found.push({ host, port: url.port === '' ? SENTINEL_PORT : Number(url.port) });
  }
  return found;
}
