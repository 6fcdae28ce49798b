import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Changes, type Int64 } from '../platform.js';
import { changePet, lockPet } from './pet-changes.js';
import { PetReservation } from './pet-reservation.entity.js';
import { canBecome, PetStatus } from './pet-status.js';
import { PetNotAvailable, PetNotFound } from './pet.errors.js';

/**
 * Holds pets for orders, in the order's transaction. Each method locks the pet, so call it before locking the order.
 */
@Injectable()
export class PetReservationsService {
  constructor(private readonly changes: Changes) {}

  /** @throws PetNotFound, PetNotAvailable */
  async reserve(manager: EntityManager, petId: Int64): Promise<void> {
    const pet = await lockPet(manager, petId);
    if (!pet) throw new PetNotFound(petId);
    if (pet.status !== PetStatus.Available) throw new PetNotAvailable(petId);
    await hold(manager, petId);
    await changePet(this.changes.in(manager), pet, { status: PetStatus.Pending });
  }

  /** Ends the hold because the pet was delivered. */
  sell(manager: EntityManager, petId: Int64): Promise<void> {
    return this.end(manager, petId, PetStatus.Sold);
  }

  /** Ends the hold and makes the pet available again. */
  release(manager: EntityManager, petId: Int64): Promise<void> {
    return this.end(manager, petId, PetStatus.Available);
  }

  private async end(manager: EntityManager, petId: Int64, status: PetStatus): Promise<void> {
    const pet = await lockPet(manager, petId);
    await manager.delete(PetReservation, { petId });
    if (pet && canBecome(pet.status, status)) await changePet(this.changes.in(manager), pet, { status });
  }
}

/** A single statement, while `existsBy` and `insert` would be two. @throws PetNotAvailable */
async function hold(manager: EntityManager, petId: Int64): Promise<void> {
  const held: unknown[] = await manager.query(
    'INSERT INTO pet_reservations (pet_id) VALUES ($1) ON CONFLICT DO NOTHING RETURNING pet_id',
    [petId],
  );
  if (held.length === 0) throw new PetNotAvailable(petId);
}
