import ipaddr from 'ipaddr.js';
import type { Variables } from './variables.js';

const NAMED_SUBNETS = ['loopback', 'linklocal', 'uniquelocal'];

/**
 * Whose `X-Forwarded-For` is believed: nobody (`false`), a number of hops, or a list of addresses and subnets.
 * There is no "trust everyone": it would let a client choose the address it is counted under.
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
  return NAMED_SUBNETS.includes(value) || isWrittenOut(value.split('/', 1)[0] ?? '', value);
}

/** `100` or `10.1` would count as addresses too, in the way of inet_aton(3): here they are slips. */
function isWrittenOut(address: string, value: string): boolean {
  const whole = ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address);
  return whole && (value === address || ipaddr.isValidCIDR(value));
}
