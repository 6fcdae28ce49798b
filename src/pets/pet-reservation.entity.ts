import { Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { Pet } from './pet.entity.js';
import type { Int64 } from '../platform/index.js';

/** A pet held by an open order. The primary key allows at most one order per pet. */
@Entity('pet_reservations')
export class PetReservation {
  @ForeignKey(() => Pet, { name: 'pet_reservations_pet_id_fkey' })
  @PrimaryColumn('bigint', { name: 'pet_id' })
  petId!: Int64;
}
