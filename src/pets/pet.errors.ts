import { DomainError } from '../kernel/errors/domain-error.js';
import type { Int64 } from '../kernel/json/int64.js';
import type { PetStatus } from './pet-status.js';

export class PetNotFound extends DomainError {
  constructor(id: Int64 | string) {
    super('not_found', 'pet_not_found', `There is no pet with the id ${id}.`);
  }
}

export class InvalidStatusTransition extends DomainError {
  constructor(from: PetStatus, to: PetStatus) {
    super('conflict', 'invalid_status_transition', `A pet that is ${from} cannot become ${to}.`);
  }
}

export class PetReserved extends DomainError {
  constructor(id: Int64 | string) {
    super(
      'conflict',
      'pet_reserved',
      `An open order holds the pet ${id}. Deliver or cancel the order first.`,
    );
  }
}

export class PetNotAvailable extends DomainError {
  constructor(id: Int64 | string) {
    super('conflict', 'pet_not_available', `The pet ${id} is not available.`);
  }
}
