import { Check, Column, Entity, ForeignKey, Index, PrimaryGeneratedColumn } from 'typeorm';
import { ApiKey } from '../../access/keys/api-key.entity.js';
import type { Int64 } from '../../kernel/json/int64.js';

export enum WebhookState {
  Enabled = 'enabled',
  Disabled = 'disabled',
}

/** Why a webhook is disabled. */
export enum DisabledReason {
  /** Disabled by its owner. */
  Request = 'request',
  /** The endpoint responded 410. */
  Gone = 'gone',
  /** The endpoint has failed for five days. */
  Failing = 'failing',
  Operator = 'operator',
}

/** A URL to which events are sent. It belongs to the API key that created it. */
@Entity('webhooks')
@Check('webhooks_url_length', 'char_length(url) <= 2048')
@Check('webhooks_state_known', `state IN ('enabled', 'disabled')`)
@Check('webhooks_disabled_reason_known', `disabled_reason IN ('request', 'gone', 'failing', 'operator')`)
@Check('webhooks_disabled', `(state = 'disabled') = (disabled_reason IS NOT NULL)`)
@Check('webhooks_previous_ends', '(previous_secret IS NULL) = (previous_ends_at IS NULL)')
@Index('webhooks_api_key_id_idx', ['apiKeyId', 'id'])
export class Webhook {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: Int64;

  @ForeignKey(() => ApiKey, { name: 'webhooks_api_key_id_fkey', onDelete: 'CASCADE' })
  @Column('bigint', { name: 'api_key_id' })
  apiKeyId!: Int64;

  @Column('text')
  url!: string;

  /** Empty means all types, including ones added later. */
  @Column('text', { array: true })
  types!: string[];

  @Column('text')
  state!: WebhookState;

  @Column('text', { name: 'disabled_reason', nullable: true })
  disabledReason!: DisabledReason | null;

  /** Encrypted by `SecretBox`. */
  @Column('bytea')
  secret!: Buffer;

  /** The secret before the last rotation. It also signs until `previousEndsAt`. */
  @Column('bytea', { name: 'previous_secret', nullable: true })
  previousSecret!: Buffer | null;

  @Column('timestamptz', { name: 'previous_ends_at', nullable: true })
  previousEndsAt!: Date | null;

  /** Only events after this one are sent. */
  @Column('bigint', { name: 'after_event_id' })
  afterEventId!: Int64;

  /** When attempts began to fail. Null after a success. */
  @Column('timestamptz', { name: 'failing_since', nullable: true })
  failingSince!: Date | null;

  /** Until then only `busyBy` sends to it. Without `busyBy`, the end of the pause after a failure. */
  @Column('timestamptz', { name: 'busy_until', nullable: true })
  busyUntil!: Date | null;

  /** The process that is sending to it. */
  @Column('uuid', { name: 'busy_by', nullable: true })
  busyBy!: string | null;

  /**
   * When a process last claimed deliveries. The key that was served longest ago is next. Null while a process
   * has it that may make no pause: a ping, a retry or a new URL has come since.
   */
  @Column('timestamptz', { name: 'served_at', nullable: true })
  servedAt!: Date | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'deleted_at', nullable: true })
  deletedAt!: Date | null;

  /** Only events after `newestId` are sent to it. One that is enabled stays as it is. */
  enable(newestId: Int64): void {
    if (this.state === WebhookState.Enabled) return;
    this.state = WebhookState.Enabled;
    this.disabledReason = null;
    this.failingSince = null;
    this.afterEventId = newestId;
  }

  /** As END_PAUSE does. */
  endPause(): void {
    if (this.busyBy === null) this.busyUntil = null;
    else this.servedAt = null;
  }

  disable(reason: DisabledReason): void {
    this.state = WebhookState.Disabled;
    this.disabledReason = reason;
  }
}
