import ipaddr from 'ipaddr.js';

const IPV6_NETWORK_BITS = 64; // what one subscriber has

/** The IPv4 address, also of an IPv4-mapped one; the /64 of an IPv6 address. */
export function network(ip: string | undefined): string {
  if (ip === undefined || !ipaddr.isValid(ip)) return 'unknown';
  const address = ipaddr.process(ip);
  if (address instanceof ipaddr.IPv4) return address.toString();
  return ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/${IPV6_NETWORK_BITS}`).toString();
}
