import { DomainError } from '../kernel/errors/domain-error.js';

export class PetNotFound extends DomainError {
  constructor(id: string) {
    super('not_found', 'pet_not_found', `There is no pet with the id ${id}.`);
  }
}
