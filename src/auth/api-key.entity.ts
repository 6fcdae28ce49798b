import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { Int64 } from '../kernel/json/int64.js';
import { type Limits, type Plan, PLANS } from './plans.js';
import type { Scope } from './scopes.js';

/** A row of `api_keys`. It has the SHA-256 of the secret, not the secret. */
@Entity('api_keys')
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

  /** `null`: all, including later ones. */
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
  forgivenAt!: Date | null;

  get limits(): Limits {
    const limits = PLANS[this.plan];
    return limits === 'custom' ? { perMinute: this.perMinute ?? 0, perDay: this.perDay ?? 0 } : limits;
  }
}
