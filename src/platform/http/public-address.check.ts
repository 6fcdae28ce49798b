import { type CheckResult, warn } from '../config/check-result.js';
import type { Config } from '../config/config.js';
import { HttpConfig } from './http.config.js';
import { isWildcard } from './listen-on.js';

/** Who listens on every address is usually behind a proxy. */
export function checkPublicAddress(config: Config): CheckResult[] {
  const { host, publicUrl, trustProxy } = config.inspect(HttpConfig);
  if (!isWildcard(host)) return [];
  const lacks = (variable: string, advice: string) =>
    warn('public address', `HOST is ${host}, without ${variable}`, advice);
  const address = 'Set it to the address that clients use. Documents and links name it.';
  const proxy =
    'Behind a proxy, set it. Otherwise all clients without a key share one address and its quota.';
  return [
    ...(publicUrl === undefined ? [lacks('PUBLIC_URL', address)] : []),
    ...(trustProxy === false ? [lacks('TRUST_PROXY', proxy)] : []),
  ];
}
