import { Entity, PrimaryColumn } from 'typeorm';
import type { Int64 } from '../kernel/json/int64.js';

/** A pet that an open order holds. The key makes it one order at most. */
@Entity('pet_reservations')
export class PetReservation {
  @PrimaryColumn('bigint', { name: 'pet_id' })
  petId!: Int64;
}
