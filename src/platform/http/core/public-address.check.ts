import { type CheckResult, warn } from '../../kernel/config/check-result.js';
import type { Config } from '../../kernel/config/config.js';
import { HttpConfig } from './http.config.js';
import { isLoopback, isWildcard } from './listen-on.js';

/**
 * Who listens on an address that others reach has a proxy in front, which bounds what belongs to a
 * connection.
 */
export function checkPublicAddress(config: Config): CheckResult[] {
  const { host, publicUrl, trustProxy } = config.inspect(HttpConfig);
  const lacks = (variable: string, advice: string) =>
    warn('public address', `HOST is ${host}, without ${variable}`, advice);
  const address = 'Set it to the address that clients use. Documents and links name it.';
  const proxy =
    'A proxy belongs in front of it (docs/rate-limits.md, "What one client can hold"): set the variable to it.';
  return [
    ...(isWildcard(host) && publicUrl === undefined ? [lacks('PUBLIC_URL', address)] : []),
    ...(!isLoopback(host) && trustProxy === false ? [lacks('TRUST_PROXY', proxy)] : []),
  ];
}
