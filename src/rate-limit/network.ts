import ipaddr from 'ipaddr.js';

const IPV6_NETWORK_BITS = 64; // what one subscriber is given: counting single addresses would count nothing

/** An IPv4 address as it is, also when it comes mapped into IPv6; of an IPv6 address its /64. */
export function network(ip: string | undefined): string {
  if (ip === undefined || !ipaddr.isValid(ip)) return 'unknown';
  const address = ipaddr.process(ip);
  if (address instanceof ipaddr.IPv4) return address.toString();
  return ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/${IPV6_NETWORK_BITS}`).toString();
}
