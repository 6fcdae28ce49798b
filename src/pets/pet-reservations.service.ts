import { Injectable } from '@nestjs/common';
import type { Changes, Int64 } from '../platform/index.js';
import { changePet, lockPet } from './pet-changes.js';
import { PetReservation } from './pet-reservation.entity.js';
import { canBecome, PetStatus } from './pet-status.js';
import { PetNotAvailable, PetNotFound } from './pet.errors.js';

/**
 * Holds pets for orders, in the order's transaction. Each method locks the pet, so call it before locking the
 * order.
 */
@Injectable()
export class PetReservationsService {
  /** @throws PetNotFound, PetNotAvailable */
  async reserve(changes: Changes, petId: Int64): Promise<void> {
    const pet = await lockPet(changes, petId);
    if (!pet) throw new PetNotFound(petId);
    if (pet.status !== PetStatus.Available) throw new PetNotAvailable(petId);
    await hold(changes, petId);
    await changePet(changes, pet, { status: PetStatus.Pending });
  }

  /** Ends the hold because the pet was delivered. */
  sell(changes: Changes, petId: Int64): Promise<void> {
    return this.end(changes, petId, PetStatus.Sold);
  }

  /** Ends the hold and makes the pet available again. */
  release(changes: Changes, petId: Int64): Promise<void> {
    return this.end(changes, petId, PetStatus.Available);
  }

  private async end(changes: Changes, petId: Int64, status: PetStatus): Promise<void> {
    const pet = await lockPet(changes, petId);
    await changes.manager.delete(PetReservation, { petId });
    if (pet && canBecome(pet.status, status)) await changePet(changes, pet, { status });
  }
}

/** A single statement, while `existsBy` and `insert` would be two. @throws PetNotAvailable */
async function hold({ manager }: Changes, petId: Int64): Promise<void> {
  const held: unknown[] = await manager.query(
    'INSERT INTO pet_reservations (pet_id) VALUES ($1) ON CONFLICT DO NOTHING RETURNING pet_id',
    [petId],
  );
  if (held.length === 0) throw new PetNotAvailable(petId);
}
