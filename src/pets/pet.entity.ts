import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { Int64 } from '../kernel/json/int64.js';
import { PetStatus } from './pet-status.js';

@Entity('pets')
export class Pet {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: Int64;

  @Column('text')
  name!: string;

  @Column('bigint', { name: 'category_id' })
  categoryId!: Int64;

  @Column('text')
  status!: PetStatus;
}
