import ipaddr from 'ipaddr.js';
import { seconds } from '../../kernel/clock/duration.js';
import { isFullAddress, isSubnet } from '../../kernel/config/subnet.js';
import type { Variables } from '../../kernel/config/variables.js';

/** Where the service listens, how clients reach it, and what it accepts. */
export class HttpConfig {
  /** TCP port; 0 for any free one. */
  readonly port: number;
  readonly host: string;
  /** Public address without `/v1`; by default the address that the service listens on. */
  readonly publicUrl: string | undefined;
  readonly stagingPublicUrl: string | undefined;
  /**
   * The proxies whose `X-Forwarded-For` is trusted: none (`false`), a number of hops, or a list of addresses
   * and subnets. Trusting all is not possible: a client could then choose the address that its requests count
   * against.
   */
  readonly trustProxy: false | number | string[];
  /** Origins whose pages may call the service from a browser; by default none. */
  readonly corsOrigins: string[];
  /** Bytes of a body, also after decompression; larger ones get 413. */
  readonly maxBodyBytes: number;
  /** Maximum number of open connections; further ones are closed immediately. */
  readonly maxConnections: number;
  /** Milliseconds that a connection may be idle before the service closes it. */
  readonly keepAlive: number;
  /** Milliseconds after SIGTERM in which requests are still served, until the balancer stops sending them. */
  readonly shutdownGrace: number;

  constructor(variables: Variables) {
    this.port = variables.wholeNumber('PORT', { min: 0, max: 65_535, fallback: 3000 });
    this.host = variables.optional('HOST') ?? '127.0.0.1';
    this.publicUrl = publicUrl(variables, 'PUBLIC_URL');
    this.stagingPublicUrl = publicUrl(variables, 'STAGING_PUBLIC_URL');
    this.trustProxy = trustProxy(variables);
    this.corsOrigins = corsOrigins(variables);
    this.maxBodyBytes = variables.wholeNumber('MAX_BODY_BYTES', {
      min: 1_024,
      max: 1_048_576,
      fallback: 16_384,
    });
    this.maxConnections = variables.wholeNumber('MAX_CONNECTIONS', {
      min: 1,
      max: 1_000_000,
      fallback: 10_000,
    });
    this.keepAlive = seconds(
      variables.wholeNumber('KEEP_ALIVE_SECONDS', { min: 1, max: 7_200, fallback: 65 }),
    );
    // On a terminal there is no balancer to wait for.
    const fallback = process.stdout.isTTY ? 0 : 3;
    this.shutdownGrace = seconds(
      variables.wholeNumber('SHUTDOWN_GRACE_SECONDS', { min: 0, max: 300, fallback }),
    );
  }
}

/**
 * Only scheme, host and path, without the version at its end: the service appends it and the rest of each
 * path.
 */
function publicUrl(variables: Variables, name: 'PUBLIC_URL' | 'STAGING_PUBLIC_URL'): string | undefined {
  const url = variables.url(name, ['http:', 'https:']);
  if (url === undefined || !/[@?#\s]|\/v\d+$/.test(url)) return url;
  // The value may contain a password, so the message does not show it.
  const problem = `${name} must be a URL without a user, a query, a fragment or the version at its end.`;
  variables.problems.set(name, problem);
  return undefined;
}

function corsOrigins(variables: Variables): string[] {
  const origins = variables.list('CORS_ORIGINS');
  const wrong = origins.find((value) => !URL.canParse(value) || new URL(value).origin !== value);
  if (wrong === undefined) return origins;
  return variables.reject('CORS_ORIGINS', wrong, 'origins such as https://app.example.com', []);
}

const NAMED_SUBNETS = ['loopback', 'linklocal', 'uniquelocal'];

function trustProxy(variables: Variables): HttpConfig['trustProxy'] {
  const value = variables.optional('TRUST_PROXY');
  if (value === undefined || value === '0') return false;
  if (/^[1-9]\d?$/.test(value)) return Number(value);
  const subnets = value.split(',').map((item) => item.trim());
  if (subnets.every(isProxy)) return subnets;
  const expected = 'a number of proxies (1 to 99) or a comma-separated list of addresses and subnets';
  return variables.reject('TRUST_PROXY', value, expected, false);
}

function isProxy(value: string): boolean {
  if (NAMED_SUBNETS.includes(value) || isFullAddress(value)) return true;
  return isSubnet(value) && ipaddr.parseCIDR(value)[1] > 0; // all addresses: proxy-addr would throw
}
