import { Check, Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import type { Int64 } from '../platform/index.js';
import { PetStatus } from './pet-status.js';

@Entity('pets')
@Check('pets_name_length', 'char_length(name) BETWEEN 1 AND 200')
@Check('pets_status_known', `status IN ('available', 'pending', 'sold')`)
@Index('pets_status_id_idx', ['status', 'id'])
@Index('pets_category_id_id_idx', ['categoryId', 'id'])
@Index('pets_category_id_status_id_idx', ['categoryId', 'status', 'id'])
@Index('pets_folded_name_id_idx', { synchronize: false }) // of an expression, which TypeORM does not know
@Index('pets_status_folded_name_id_idx', { synchronize: false })
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
