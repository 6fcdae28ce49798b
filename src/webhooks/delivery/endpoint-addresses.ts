import { Inject, Injectable } from '@nestjs/common';
import { Config } from '../../kernel/config/config.js';
import { AddressPolicy } from './address-policy.js';
import { AddressResolver } from './address-resolver.js';

/** The host name has no address. */
export class NoAddress extends Error {}
/** An address of the host may not be reached, or not without TLS. */
export class AddressRefused extends Error {}

/** The addresses that a webhook's URL leads to, once they have been checked. */
@Injectable()
export class EndpointAddresses {
  private readonly policy: AddressPolicy;

  constructor(
    @Inject(Config) { webhookAllowedNetworks }: Pick<Config, 'webhookAllowedNetworks'>,
    private readonly resolver: AddressResolver,
  ) {
    this.policy = new AddressPolicy(webhookAllowedNetworks);
  }

  /**
   * All of them are permitted: a name that also leads to a forbidden address is not to be trusted. Connect to these
   * addresses and do not resolve the name again, since it could lead elsewhere then.
   * @throws NoAddress, AddressRefused, NameServersUnavailable
   */
  async of({ hostname, protocol }: URL): Promise<string[]> {
    const addresses = await this.resolver.resolve(hostname.replace(/^\[|\]$/g, ''));
    if (addresses.length === 0) throw new NoAddress(`${hostname} has no address.`);
    const isPermitted = (address: string): boolean =>
      protocol === 'https:' ? this.policy.permits(address) : this.policy.trusts(address);
    if (!addresses.every(isPermitted))
      throw new AddressRefused(`${hostname} leads to an address that is refused.`);
    return addresses;
  }
}
