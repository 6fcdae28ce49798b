import { Check, Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { Int64 } from '../../src/platform/index.js';

export enum ItemStatus {
  Open = 'open',
  Held = 'held',
  Closed = 'closed',
}

@Entity('items')
@Check('items_name_length', 'char_length(name) BETWEEN 1 AND 200')
export class Item {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: Int64;

  @Column('text')
  name!: string;

  @Column('bigint')
  amount!: Int64;

  @Column('text')
  status!: ItemStatus;
}
