import { Check, Column, CreateDateColumn, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import type { Int64 } from '../../kernel/json/int64.js';

export type KeyAction = 'create' | 'update' | 'rotate' | 'revoke' | 'ban' | 'unban';

/** A value in the history of a key. Never a secret. Times are in ISO 8601. */
export type HistoryValue = string | number | readonly string[] | null;

/** The changed values, by name. */
export type KeyUpdate = Readonly<Record<string, { readonly from: HistoryValue; readonly to: HistoryValue }>>;

/** A row of `api_key_history`. Triggers reject updates, and deletes of all but old rotations by clients. */
@Entity('api_key_history')
@Check('api_key_history_action_known', `action IN ('create', 'update', 'rotate', 'revoke', 'ban', 'unban')`)
@Index('api_key_history_key_id_idx', ['keyId', 'id'])
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
  changes!: KeyUpdate;
}
