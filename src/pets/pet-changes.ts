import { type Changes, findById, type Int64 } from '../platform/index.js';
import type { UpdatePetDto } from './dto/update-pet.dto.js';
import { PetReservation } from './pet-reservation.entity.js';
import { canBecome } from './pet-status.js';
import { Pet } from './pet.entity.js';
import { InvalidStatusTransition } from './pet.errors.js';
import { PET_STATUS_CHANGED, PET_UPDATED } from './pet.events.js';

/**
 * Reads a pet and locks it until the transaction ends. A transaction that also needs an order must lock the
 * pet first. This common lock order prevents deadlocks.
 */
export function lockPet({ manager }: Changes, id: Int64): Promise<Pet | null> {
  return findById(manager.getRepository(Pet), id, { lock: { mode: 'pessimistic_write' } });
}

/** Whether an open order holds the pet. The result stays valid only while the pet is locked. */
export function isReserved({ manager }: Changes, petId: Int64): Promise<boolean> {
  return manager.existsBy(PetReservation, { petId });
}

/**
 * Writes the changes of a locked pet, and their event if anything has changed.
 * @param changes in the transaction that holds the lock
 * @throws InvalidStatusTransition
 */
export async function changePet(changes: Changes, pet: Pet, change: UpdatePetDto): Promise<Pet> {
  const { status = pet.status } = change;
  const changesStatus = status !== pet.status;
  if (changesStatus && !canBecome(pet.status, status)) throw new InvalidStatusTransition(pet.status, status);
  return changes.update(Pet, pet, change, changesStatus ? PET_STATUS_CHANGED : PET_UPDATED);
}
