import { Injectable } from '@nestjs/common';
import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { seconds } from '../../../kernel/clock/duration.js';
import { WebhooksConfig } from '../webhooks.config.js';
import { AddressPolicy } from './address-policy.js';

const TIMEOUT = seconds(2);
const TRIES = 2;
/** DNS error codes that mean the name has no address. */
const NO_ADDRESS = ['ENOTFOUND', 'ENODATA', 'EBADNAME'];

/** No name server gave a definite answer. */
export class NameServersUnavailable extends Error {}

/**
 * Resolves host names through DNS only. `dns.lookup` would block one of the process's four threads while a
 * slow name server responds, and connections to PostgreSQL and Redis need those threads.
 */
@Injectable()
export class AddressResolver {
  private readonly resolver = new Resolver({ timeout: TIMEOUT, tries: TRIES });

  /** @returns an empty array if the name has no address @throws NameServersUnavailable */
  async resolve(host: string): Promise<string[]> {
    if (isIP(host) > 0) return [host];
    const found = await Promise.allSettled([this.resolver.resolve4(host), this.resolver.resolve6(host)]);
    const addresses = found.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    if (addresses.length === 0 && found.some(isTemporary)) throw new NameServersUnavailable();
    return addresses;
  }
}

const isTemporary = (result: PromiseSettledResult<unknown>): boolean =>
  result.status === 'rejected' && !NO_ADDRESS.includes(String((result.reason as { code?: unknown }).code));

/** Webhooks may not reach this URL. The message says what to change. */
export class AddressRefused extends Error {}

/** Resolves and checks the addresses of a webhook's URL. */
@Injectable()
export class EndpointAddresses {
  private readonly policy: AddressPolicy;

  constructor(
    private readonly config: WebhooksConfig,
    private readonly resolver: AddressResolver,
  ) {
    this.policy = new AddressPolicy(config.allowedNetworks);
  }

  /**
   * All addresses must be permitted: a name that also resolves to a forbidden address is not trusted. Connect
   * to these addresses without resolving the name again, because the result could differ. A name without an
   * address is refused as one with a private address is: otherwise a client could find out which internal
   * names exist.
   * @throws AddressRefused, NameServersUnavailable
   */
  async of(url: URL): Promise<string[]> {
    const { hostname } = url;
    if (this.config.allowedNetworks.length === 0) assertPublicForm(url); // whatever its name resolves to
    const addresses = await this.resolver.resolve(hostname.replace(/^\[|\]$/g, ''));
    const all = (is: (address: string) => boolean) => addresses.length > 0 && addresses.every(is);
    if (all((address) => this.policy.trusts(address))) return addresses;
    assertPublicForm(url);
    if (!all((address) => this.policy.permits(address)))
      throw new AddressRefused('has a host without an address, or with one that is not public');
    return addresses;
  }
}

/** What a URL with a public address needs. @throws AddressRefused */
function assertPublicForm({ protocol, port }: URL): void {
  if (protocol !== 'https:') throw new AddressRefused('must start with https://');
  if (port !== '') throw new AddressRefused(`has port ${port}; only the port of https, 443, is allowed`);
}
