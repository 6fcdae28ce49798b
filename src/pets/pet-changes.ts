import type { EntityManager } from 'typeorm';
import { lockRow } from '../database/rows.js';
import type { EventsService } from '../events/events.service.js';
import type { Int64 } from '../kernel/json/int64.js';
import type { UpdatePetDto } from './dto/update-pet.dto.js';
import { PetStatusChangedData } from './dto/pet-status-changed.data.js';
import { PetResponse } from './dto/pet.response.js';
import { PetReservation } from './pet-reservation.entity.js';
import { canBecome } from './pet-status.js';
import { Pet } from './pet.entity.js';
import { InvalidStatusTransition } from './pet.errors.js';
import { PET_STATUS_CHANGED, PET_UPDATED } from './pet.events.js';

/**
 * The pet, for this transaction alone until it ends. Whoever needs an order as well locks its pet first: one order of
 * locks everywhere, so that no two transactions wait for each other.
 */
export function lockPet(manager: EntityManager, id: Int64): Promise<Pet | null> {
  return lockRow(manager.getRepository(Pet), id);
}

/** Whether an open order holds the pet. Certain while the pet is locked. */
export function isReserved(manager: EntityManager, petId: Int64): Promise<boolean> {
  return manager.existsBy(PetReservation, { petId });
}

/**
 * Writes the changes of a locked pet and their event. Nothing is written where nothing changes.
 * @throws InvalidStatusTransition
 */
export async function changePet(
  manager: EntityManager,
  events: EventsService,
  pet: Pet,
  change: UpdatePetDto,
): Promise<Pet> {
  const { id } = pet;
  const { name = pet.name, categoryId = pet.categoryId, status = pet.status } = change;
  if (status !== pet.status && !canBecome(pet.status, status)) {
    throw new InvalidStatusTransition(pet.status, status);
  }
  if (name === pet.name && categoryId === pet.categoryId && status === pet.status) return pet;
  const pets = manager.getRepository(Pet);
  const values = { name, categoryId, status };
  const changed = { id, ...values };
  if (status === pet.status) await events.update(pets, id, values, PET_UPDATED, PetResponse.from(changed));
  else {
    const data = PetStatusChangedData.of(changed, pet.status);
    await events.update(pets, id, values, PET_STATUS_CHANGED, data);
  }
  return changed;
}
