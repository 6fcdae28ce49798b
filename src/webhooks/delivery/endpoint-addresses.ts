import { Injectable } from '@nestjs/common';
import { WebhooksConfig } from '../webhooks.config.js';
import { AddressPolicy } from './address-policy.js';
import { AddressResolver } from './address-resolver.js';

/** The host name has no address. */
export class NoAddress extends Error {}
/** The URL leads where no webhook may. The message says what to change. */
export class AddressRefused extends Error {}

/** The addresses that a webhook's URL leads to, once they have been checked. */
@Injectable()
export class EndpointAddresses {
  private readonly policy: AddressPolicy;

  constructor(
    { allowedNetworks }: WebhooksConfig,
    private readonly resolver: AddressResolver,
  ) {
    this.policy = new AddressPolicy(allowedNetworks);
  }

  /**
   * All of them are permitted: a name that also leads to a forbidden address is not to be trusted. Connect to these
   * addresses and do not resolve the name again, since it could lead elsewhere then.
   * @throws NoAddress, AddressRefused, NameServersUnavailable
   */
  async of({ hostname, protocol, port }: URL): Promise<string[]> {
    const addresses = await this.resolver.resolve(hostname.replace(/^\[|\]$/g, ''));
    if (addresses.length === 0) throw new NoAddress(`has the host ${hostname}, for which DNS has no address`);
    if (addresses.every((address) => this.policy.trusts(address))) return addresses;
    if (protocol !== 'https:')
      throw new AddressRefused(
        'must start with https://; WEBHOOK_ALLOWED_NETWORKS names where http is allowed',
      );
    if (port !== '')
      throw new AddressRefused(
        `has port ${port}; WEBHOOK_ALLOWED_NETWORKS names where ports but 443 are allowed`,
      );
    if (!addresses.every((address) => this.policy.permits(address)))
      throw new AddressRefused(
        'has a host with an address that is not public; WEBHOOK_ALLOWED_NETWORKS names those that are allowed too',
      );
    return addresses;
  }
}
