import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { Int64 } from '../kernel/json/int64.js';

export type KeyAction = 'create' | 'update' | 'rotate' | 'revoke' | 'ban' | 'unban';

/** A value of a key as the history tells it. Never a secret; a time is in ISO 8601. */
export type Told = string | number | readonly string[] | null;

/** What a change made of each value that it changed. */
export type Changes = Readonly<Record<string, { readonly from: Told; readonly to: Told }>>;

/** A row of `api_key_history`, which the database lets nobody change. */
@Entity('api_key_history')
export class KeyHistoryEntry {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: Int64;

  @Column('bigint', { name: 'key_id' })
  keyId!: Int64;

  @CreateDateColumn({ type: 'timestamptz', name: 'changed_at' })
  changedAt!: Date;

  @Column('text')
  action!: KeyAction;

  @Column('text', { name: 'os_user' })
  osUser!: string;

  @Column('text')
  host!: string;

  @Column('text')
  command!: string;

  @Column('json')
  changes!: Changes;
}
