import ipaddr from 'ipaddr.js';
import type { Request } from 'express';
import type { Subject } from './quota-engine.js';

/** Callers without a valid key, each address on its own. */
const STRANGER_LIMITS = { perMinute: 30 };
const IPV6_NETWORK_BITS = 64; // what one subscriber is given: counting single addresses would count nothing

/** Who a request is counted for: the key's id, or the client's network address where there is no valid key. */
export function subjectOf({ caller, ip }: Request): Subject {
  if (caller?.kind === 'key') return { id: `key:${caller.id}`, limits: caller.limits };
  return { id: `ip:${network(ip)}`, limits: STRANGER_LIMITS };
}

/** An IPv4 address as it is, also when it comes mapped into IPv6; of an IPv6 address its /64. */
export function network(ip: string | undefined): string {
  if (ip === undefined || !ipaddr.isValid(ip)) return 'unknown';
  const address = ipaddr.process(ip);
  if (address instanceof ipaddr.IPv4) return address.toString();
  return ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/${IPV6_NETWORK_BITS}`).toString();
}
