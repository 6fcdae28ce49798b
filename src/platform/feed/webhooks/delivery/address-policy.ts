import ipaddr from 'ipaddr.js';
import { isIP } from 'node:net';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = [Address, number];

/** The only IPv6 range assigned for public use (RFC 4291). */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3');

/**
 * Public addresses that only machines in a cloud can reach, and that lead to its platform: the host agent and
 * metadata of Azure, and the services of IBM Cloud. Those of other clouds are in ranges that are not public.
 */
const OF_CLOUDS = ['168.63.129.16/32', '161.26.0.0/16', '166.8.0.0/14'].map((range) =>
  ipaddr.parseCIDR(range),
);

/**
 * Decides which addresses a webhook may reach: public ones and those that the operator allows. Any other
 * address could belong to the operator's network: private, loopback, link-local and cloud-metadata addresses,
 * those of translation mechanisms (NAT64, 6to4, Teredo), and IPv4-mapped ones.
 */
export class AddressPolicy {
  private readonly allowed: readonly Network[];

  /** @param networks CIDR blocks allowed in addition to public addresses */
  constructor(networks: readonly string[]) {
    this.allowed = networks.map((network) => ipaddr.parseCIDR(network));
  }

  permits(text: string): boolean {
    const address = parse(text);
    return address !== undefined && (isPublic(address) || this.isNamed(address));
  }

  /** Whether the operator allows the address. Requests to it need no encryption. */
  trusts(text: string): boolean {
    const address = parse(text);
    return address !== undefined && this.isNamed(address);
  }

  private isNamed(address: Address): boolean {
    return this.allowed.some(([network, bits]) => isWithin(address, network, bits));
  }
}

/** Converts an IPv4-mapped address such as `::ffff:10.0.0.1` to IPv4. Rejects short forms such as `10.1`. */
const parse = (text: string): Address | undefined => (isIP(text) > 0 ? ipaddr.process(text) : undefined);

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  if (OF_CLOUDS.some(([network, bits]) => isWithin(address, network, bits))) return false;
  return address instanceof ipaddr.IPv4 || isWithin(address, ...GLOBAL_IPV6);
}

const isWithin = (address: Address, network: Address, bits: number): boolean =>
  address.kind() === network.kind() && address.match(network, bits);
