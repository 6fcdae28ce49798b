import { Injectable } from '@nestjs/common';
import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { seconds } from '../../kernel/clock/duration.js';

const TIMEOUT = seconds(2);
const TRIES = 2;
/** The errors of a name server for a name without an address. */
const NO_ADDRESS = ['ENOTFOUND', 'ENODATA'];

/** No name server has said whether the name has addresses. */
export class NameServersUnavailable extends Error {}

/**
 * Addresses of a host name, by DNS alone. `dns.lookup` would hold one of the four threads of the process for as long as a
 * slow name server takes, and connections to PostgreSQL and Redis need the same threads.
 */
@Injectable()
export class AddressResolver {
  private readonly resolver = new Resolver({ timeout: TIMEOUT, tries: TRIES });

  /** @returns none where the name has no address @throws NameServersUnavailable */
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
