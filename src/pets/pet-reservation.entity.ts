import { Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { Pet } from './pet.entity.js';
import type { Int64 } from '../platform.js';

/** A pet that an open order holds. The key makes it one order at most. */
@Entity('pet_reservations')
export class PetReservation {
  @ForeignKey(() => Pet, { name: 'pet_reservations_pet_id_fkey' })
  @PrimaryColumn('bigint', { name: 'pet_id' })
  petId!: Int64;
}
