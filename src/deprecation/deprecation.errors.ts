import { DomainError } from '../kernel/errors/domain-error.js';

export class EndpointRemoved extends DomainError {
  constructor({ sunset, use }: { readonly sunset: string; readonly use: string }) {
    super('gone', 'endpoint_removed', `This endpoint was removed on ${sunset}. Use ${use}.`);
  }
}
