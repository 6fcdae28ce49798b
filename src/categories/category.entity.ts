import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { Int64 } from '../kernel/json/int64.js';

@Entity('categories')
export class Category {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: Int64;

  @Column('text')
  name!: string;

  /** The name without regard to case, by which it is unique. */
  @Column('text', { name: 'name_key' })
  nameKey!: string;

  @Column('bigint', { name: 'parent_id', nullable: true })
  parentId!: Int64 | null;
}

/** One spelling for names that differ in case only, in any script. */
export const nameKeyOf = (name: string): string => name.normalize('NFKC').toLowerCase().normalize('NFKC');
