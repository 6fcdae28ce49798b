import { Check, Column, Entity, ForeignKey, Index, PrimaryGeneratedColumn, Unique } from 'typeorm';
import type { Int64 } from '../platform/index.js';

@Entity('categories')
@Unique('categories_name_key', ['nameKey'])
@Check('categories_name_length', 'char_length(name) BETWEEN 1 AND 200')
export class Category {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: Int64;

  @Column('text')
  name!: string;

  /** The folded name, set by a trigger of PostgreSQL whenever `name` is written. */
  @Column('text', { name: 'name_key' })
  readonly nameKey!: string;

  @Index('categories_parent_id_idx')
  @ForeignKey(() => Category, { name: 'categories_parent_id_fkey' })
  @Column('bigint', { name: 'parent_id', nullable: true })
  parentId!: Int64 | null;
}
