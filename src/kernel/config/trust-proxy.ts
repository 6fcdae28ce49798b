import ipaddr from 'ipaddr.js';
import type { Variables } from './variables.js';

const NAMED_SUBNETS = ['loopback', 'linklocal', 'uniquelocal'];

/**
 * The proxies whose `X-Forwarded-For` is trusted: none (`false`), a number of hops, or a list of addresses and subnets.
 * Never all: a client could choose the address that it is counted under.
 */
export function trustProxy(variables: Variables): false | number | string[] {
  const value = variables.optional('TRUST_PROXY');
  if (value === undefined || value === '0') return false;
  if (/^[1-9]\d?$/.test(value)) return Number(value);
  const subnets = value.split(',').map((item) => item.trim());
  if (subnets.every(isSubnet)) return subnets;
  const expected = 'a number of proxies (1 to 99) or a comma-separated list of addresses and subnets';
  return variables.reject('TRUST_PROXY', value, expected, false);
}

function isSubnet(value: string): boolean {
  return NAMED_SUBNETS.includes(value) || isFullAddress(value.split('/', 1)[0] ?? '', value);
}

/** inet_aton(3) reads `100` and `10.1` as addresses too; here they are mistakes. */
function isFullAddress(address: string, value: string): boolean {
  const whole = ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address);
  return whole && (value === address || ipaddr.isValidCIDR(value));
}
