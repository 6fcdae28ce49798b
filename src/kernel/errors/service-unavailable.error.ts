import { DomainError } from './domain-error.js';

/** Something the service needs is away for the moment; nothing is wrong with the request. */
export class ServiceUnavailable extends DomainError {
  constructor(options?: ErrorOptions) {
    super('unavailable', 'service_unavailable', 'The service cannot answer right now. Try again shortly.');
    this.cause = options?.cause;
  }
}
