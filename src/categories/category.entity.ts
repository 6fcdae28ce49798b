import { Check, Column, Entity, ForeignKey, Index, PrimaryGeneratedColumn, Unique } from 'typeorm';
import type { Int64 } from '../platform.js';

@Entity('categories')
@Unique('categories_name_key', ['nameKey'])
@Check('categories_name_length', 'char_length(name) BETWEEN 1 AND 200')
export class Category {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: Int64;

  @Column('text')
  name!: string;

  /** The name without regard to case, which is unique. */
  @Column('text', { name: 'name_key' })
  nameKey!: string;

  @Index('categories_parent_id_idx')
  @ForeignKey(() => Category, { name: 'categories_parent_id_fkey' })
  @Column('bigint', { name: 'parent_id', nullable: true })
  parentId!: Int64 | null;
}

/**
 * The full case folding (Unicode, section 3.13) of the NFC form: two names with the same key are one. Lower case alone does
 * not know that `ß` is `SS`; without a context, `toLowerCase` makes no final sigma. Only `ı` has an upper case of another letter.
 */
export const nameKeyOf = (name: string): string =>
  Array.from(name.normalize('NFC'), (character) =>
    character === 'ı' ? character : character.toLowerCase().toUpperCase().toLowerCase(),
  )
    .join('')
    .normalize('NFC');
