import { DomainError, type Int64 } from '../platform/index.js';
import type { PetStatus } from './pet-status.js';

export class PetNotFound extends DomainError {
  static override readonly help = {
    meaning: 'No pet has this id. An id that is not a number gets the same error.',
    action: 'Do not repeat the request. The pet may never have existed.',
  };

  constructor(id: Int64 | string) {
    super('not_found', 'pet_not_found', `There is no pet with the id ${id}.`);
  }
}

export class InvalidStatusTransition extends DomainError {
  static override readonly help = {
    meaning: 'The status of the pet does not allow the change. A sold pet stays sold.',
    action: 'Read the pet again, then decide.',
  };

  constructor(from: PetStatus, to: PetStatus) {
    super('conflict', 'invalid_status_transition', `A pet that is ${from} cannot become ${to}.`);
  }
}

export class PetReserved extends DomainError {
  static override readonly help = {
    meaning:
      'An open order holds the pet. Its status changes only through the order, and it cannot be removed.',
    action: 'Deliver or cancel the order first.',
  };

  constructor(id: Int64 | string) {
    super(
      'conflict',
      'pet_reserved',
      `An open order holds the pet ${id}. Deliver or cancel the order first.`,
    );
  }
}

export class PetNotAvailable extends DomainError {
  static override readonly help = {
    meaning: 'The pet is not `available`, or another order holds it.',
    action: 'Choose another pet, or try again when the pet is available.',
  };

  constructor(id: Int64 | string) {
    super('conflict', 'pet_not_available', `The pet ${id} is not available.`);
  }
}

export class TooManyPets extends DomainError {
  static override readonly help = {
    meaning: 'The request adds more pets at once than the plan of the key allows.',
    action: 'Send them in several requests, each with at most the number in `message`.',
  };

  constructor(max: number) {
    super('invalid', 'too_many_pets', `With the plan of this key, a request can add at most ${max} pets.`);
  }
}
