import { Check, Column, CreateDateColumn, Entity, PrimaryGeneratedColumn, Unique } from 'typeorm';
import type { Int64 } from '../../kernel/json/int64.js';
import { type Limits, type Plan, rulesOf } from '../plans/plans.js';
import type { Scope } from './scopes.js';

/** A row of `api_keys`. It contains the SHA-256 of the secret, never the secret itself. */
@Entity('api_keys')
@Check('api_keys_name_length', 'char_length(name) BETWEEN 1 AND 200')
@Check('api_keys_per_minute_positive', 'per_minute > 0')
@Check('api_keys_per_day_positive', 'per_day > 0')
@Check('api_keys_limits_in_pairs', '(per_minute IS NULL) = (per_day IS NULL)')
@Check('api_keys_ban_level_not_negative', 'ban_level >= 0')
@Check('api_keys_previous_ends', '(previous_hash IS NULL) = (previous_ends_at IS NULL)')
@Check('api_keys_scopes_not_empty', 'cardinality(scopes) > 0')
@Unique('api_keys_hash_key', ['hash'])
@Unique('api_keys_previous_hash_key', ['previousHash'])
export class ApiKey {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: Int64;

  @Column('text')
  name!: string;

  @Column('text')
  plan!: Plan;

  @Column('integer', { name: 'per_minute', nullable: true })
  perMinute!: number | null;

  @Column('integer', { name: 'per_day', nullable: true })
  perDay!: number | null;

  @Column('bytea', { select: false })
  hash!: Buffer;

  /** SHA-256 of the secret before the last rotation. */
  @Column('bytea', { name: 'previous_hash', nullable: true, select: false })
  previousHash!: Buffer | null;

  /** When the previous secret stops working. */
  @Column('timestamptz', { name: 'previous_ends_at', nullable: true })
  previousEndsAt!: Date | null;

  /** `null` means all scopes, including future ones. */
  @Column('text', { array: true, nullable: true })
  scopes!: Scope[] | null;

  @Column('text')
  prefix!: string;

  @Column('text', { name: 'last_four' })
  lastFour!: string;

  @CreateDateColumn({ type: 'timestamptz', name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'expires_at', nullable: true })
  expiresAt!: Date | null;

  @Column('timestamptz', { name: 'revoked_at', nullable: true })
  revokedAt!: Date | null;

  @Column('timestamptz', { name: 'last_used_at', nullable: true })
  lastUsedAt!: Date | null;

  @Column('timestamptz', { name: 'ban_ends_at', nullable: true })
  banEndsAt!: Date | null;

  @Column('smallint', { name: 'ban_level', default: 0 })
  banLevel!: number;

  @Column('timestamptz', { name: 'forgiven_at', nullable: true })
  banLiftedAt!: Date | null;

  /** Undefined if this process does not have the plan, such as one of a newer version, or lacks its own limits. */
  get limits(): Limits | undefined {
    const rules = rulesOf(this.plan);
    if (rules === undefined) return undefined;
    if (rules.perMinute !== 'custom') return { perMinute: rules.perMinute, perDay: rules.perDay };
    const { perMinute, perDay } = this;
    return perMinute === null || perDay === null ? undefined : { perMinute, perDay };
  }
}

/** When the previous secret of a key stops working: at the latest, with the key. */
export const previousSecretEnd = ({
  previousEndsAt,
  expiresAt,
}: Pick<ApiKey, 'previousEndsAt' | 'expiresAt'>): Date | null =>
  previousEndsAt && expiresAt && expiresAt < previousEndsAt ? expiresAt : previousEndsAt;
