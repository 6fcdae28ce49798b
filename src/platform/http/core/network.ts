import type { Request } from 'express';
import ipaddr from 'ipaddr.js';

const IPV6_NETWORK_BITS = 64; // a typical allocation to one subscriber

/**
 * Some proxies, such as Azure's, add the client's port to `X-Forwarded-For`: `192.0.2.1:50000`,
 * `[2001:db8::1]:50000`.
 */
const PORT = /^(?:\[(.+)\]|([\d.]+)):\d+$/;

/** Returns an IPv4 address, also for an IPv4-mapped one, or the /64 of an IPv6 address. */
export function network(client = ''): string {
  const ip = client.replace(PORT, '$1$2');
  if (!ipaddr.isValid(ip)) return 'unknown';
  const address = ipaddr.process(ip);
  if (address instanceof ipaddr.IPv4) return address.toString();
  return ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/${IPV6_NETWORK_BITS}`).toString();
}

/**
 * The address of a client, worked out once: Express does it anew each time, and a closed connection has none.
 */
export const addressOf = (request: Request): string | undefined => (request.address ??= request.ip);
