import { Check, Column, Entity, ForeignKey, Index, PrimaryGeneratedColumn, Unique } from 'typeorm';
import type { Int64 } from '../../platform/index.js';

@Entity('categories')
@Unique('categories_name_key', ['nameKey'])
@Check('categories_name_length', 'char_length(name) BETWEEN 1 AND 200')
export class Category {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: Int64;

  @Column('text')
  name!: string;

  /** The case-folded name, which is unique. */
  @Column('text', { name: 'name_key' })
  nameKey!: string;

  @Index('categories_parent_id_idx')
  @ForeignKey(() => Category, { name: 'categories_parent_id_fkey' })
  @Column('bigint', { name: 'parent_id', nullable: true })
  parentId!: Int64 | null;
}

/**
 * The full case folding (Unicode, section 3.13) of the NFC form: names with equal keys are the same name.
 * Lower-casing alone would not equate `ß` and `SS`. Folding each character separately avoids the final sigma,
 * which depends on context. `ı` is skipped because its upper case is that of a different letter.
 */
export const nameKeyOf = (name: string): string =>
  Array.from(name.normalize('NFC'), (character) =>
    character === 'ı' ? character : character.toLowerCase().toUpperCase().toLowerCase(),
  )
    .join('')
    .normalize('NFC');
