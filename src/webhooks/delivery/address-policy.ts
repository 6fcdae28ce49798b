import ipaddr from 'ipaddr.js';
import { isIP } from 'node:net';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = [Address, number];

/** The only part of IPv6 that is given out for public use (RFC 4291). */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3');

/**
 * Which addresses a webhook may reach: public ones, and those that the operator names. Everything else could be a part of
 * the operator's network: private, loopback and link-local addresses, those of cloud metadata, of translation (NAT64, 6to4,
 * Teredo) and those that stand for an IPv4 address.
 */
export class AddressPolicy {
  private readonly allowed: readonly Network[];

  /** @param networks CIDR blocks that are allowed beside public addresses */
  constructor(networks: readonly string[]) {
    this.allowed = networks.map((network) => ipaddr.parseCIDR(network));
  }

  permits(text: string): boolean {
    const address = parse(text);
    return address !== undefined && (isPublic(address) || this.isNamed(address));
  }

  /** Whether the operator has allowed the address: requests to it need no encryption. */
  trusts(text: string): boolean {
    const address = parse(text);
    return address !== undefined && this.isNamed(address);
  }

  private isNamed(address: Address): boolean {
    return this.allowed.some(([network, bits]) => isWithin(address, network, bits));
  }
}

/** `::ffff:10.0.0.1` is the IPv4 address that it stands for. Short forms such as `10.1` are not addresses. */
const parse = (text: string): Address | undefined => (isIP(text) > 0 ? ipaddr.process(text) : undefined);

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  return address instanceof ipaddr.IPv4 || isWithin(address, ...GLOBAL_IPV6);
}

const isWithin = (address: Address, network: Address, bits: number): boolean =>
  address.kind() === network.kind() && address.match(network, bits);
