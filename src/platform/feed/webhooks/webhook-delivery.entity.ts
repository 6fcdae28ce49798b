import { Check, Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryGeneratedColumn } from 'typeorm';
import { Webhook } from './webhook.entity.js';
import type { Int64 } from '../../kernel/json/int64.js';
import type { AttemptError } from './delivery/webhook-sender.js';

export enum DeliveryState {
  Pending = 'pending',
  Delivered = 'delivered',
  Failed = 'failed',
}

/** A stored attempt. */
export interface Attempt {
  /** When it began, in ISO 8601. */
  readonly at: string;
  readonly milliseconds: number;
  /** HTTP status. Absent if there was no response. */
  readonly status?: number;
  /** Why it failed. Absent if it succeeded. */
  readonly error?: AttemptError;
}

/** Why an attempt failed, with the HTTP status of its response, for a person; empty if it succeeded. */
export const errorText = ({ error, status }: Partial<Attempt> = {}): string =>
  error === undefined ? '' : [error, status].filter((part) => part !== undefined).join(' ');

/** An event to be sent to a webhook. */
@Entity('webhook_deliveries')
@Check('webhook_deliveries_state_known', `state IN ('pending', 'delivered', 'failed')`)
@Check('webhook_deliveries_next_attempt', `(state = 'pending') = (next_attempt_at IS NOT NULL)`)
@Index('webhook_deliveries_webhook_id_idx', ['webhookId', 'id'])
@Index('webhook_deliveries_webhook_id_state_id_idx', ['webhookId', 'state', 'id'])
@Index('webhook_deliveries_due_idx', ['webhookId', 'nextAttemptAt'], { where: `state = 'pending'` })
export class WebhookDelivery {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: Int64;

  @ForeignKey(() => Webhook, { name: 'webhook_deliveries_webhook_id_fkey', onDelete: 'CASCADE' })
  @Column('bigint', { name: 'webhook_id' })
  webhookId!: Int64;

  /** Null for a ping. */
  @Column('bigint', { name: 'event_id', nullable: true })
  eventId!: Int64 | null;

  @Column('text')
  type!: string;

  @Column('text')
  state!: DeliveryState;

  /** Attempts in the current schedule. A retry on demand starts a new one. */
  @Column('smallint', { default: 0 })
  tries!: number;

  @Column('jsonb', { default: [] })
  attempts!: Attempt[];

  /** Null unless the delivery is pending. */
  @Column('timestamptz', { name: 'next_attempt_at', nullable: true })
  nextAttemptAt!: Date | null;

  @CreateDateColumn({ type: 'timestamptz', name: 'created_at' })
  createdAt!: Date;
}
