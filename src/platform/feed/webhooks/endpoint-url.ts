import { Injectable } from '@nestjs/common';
import { ValidationFailed } from '../../kernel/errors/common.errors.js';
import { bodyError } from '../../kernel/errors/field-error.js';
import { AddressRefused, EndpointAddresses, NameServersUnavailable } from './delivery/endpoint-addresses.js';

/**
 * Checks the URL of an endpoint when it is set. A name is accepted if no name server responds, because this
 * process may have no DNS while the worker has; every connection checks the name again.
 */
@Injectable()
export class EndpointUrl {
  constructor(private readonly addresses: EndpointAddresses) {}

  /** @param text an http or https URL @throws ValidationFailed */
  async check(text: string): Promise<void> {
    const url = new URL(text);
    if (url.username !== '' || url.password !== '') throw invalidUrl('must not hold a user name or password');
    if (text.includes('#')) throw invalidUrl('must not have a fragment');
    try {
      await this.addresses.of(url);
    } catch (error) {
      if (error instanceof NameServersUnavailable) return;
      if (!(error instanceof AddressRefused)) throw error;
      throw invalidUrl(error.message);
    }
  }
}

function invalidUrl(why: string): ValidationFailed {
  return new ValidationFailed([bodyError(['url'], { code: 'format', message: `url ${why}` })]);
}
