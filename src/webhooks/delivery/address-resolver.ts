import { Injectable } from '@nestjs/common';
import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { seconds } from '../../kernel/clock/duration.js';

const TIMEOUT = seconds(2);
const TRIES = 2;

/**
 * Addresses of a host name, by DNS alone. `dns.lookup` would hold one of the process's four threads for as long as a slow
 * name server likes, and connections to PostgreSQL and Redis need the same threads.
 */
@Injectable()
export class AddressResolver {
  private readonly resolver = new Resolver({ timeout: TIMEOUT, tries: TRIES });

  /** @returns none where the name has no address */
  async resolve(host: string): Promise<string[]> {
    if (isIP(host) > 0) return [host];
    const found = await Promise.allSettled([this.resolver.resolve4(host), this.resolver.resolve6(host)]);
    return found.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  }
}
