// keys/ makes, changes and revokes API keys, and keeps their history. Who sends a request is found in `auth`.

import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, type Repository } from 'typeorm';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity.js';
import type { Int64 } from '../../kernel/json/int64.js';
import { ApiKey } from './api-key.entity.js';
import type { KeyAction } from './key-history.entity.js';
import { KeyHistory } from './key-history.js';
import { InvalidApiKey, KeyHasExpired, KeyIsRevoked, TooManyRotations } from './keys.errors.js';
import type { Limits, Plan } from '../plans/plans.js';
import { remainingLevel } from './ban.js';
import type { Scope } from './scopes.js';
import { describeSecret, hashSecret, makeSecret } from './secret.js';

interface NewApiKey {
  readonly name: string;
  readonly plan: Plan;
  /** Required for the enterprise plan; not allowed for others. */
  readonly limits?: Limits | null;
  /** By default never. */
  readonly expiresAt?: Date | null;
  /** By default all. */
  readonly scopes?: readonly Scope[] | null;
}

/** Changes to a key. Omitted values stay the same. */
export interface KeyEdit {
  readonly name?: string;
  /** `limits` is required for the enterprise plan, `null` for others. */
  readonly plan?: { readonly plan: Plan; readonly limits: Limits | null };
  /** `null` means never. */
  readonly expiresAt?: Date | null;
  /** `null` means all. */
  readonly scopes?: readonly Scope[] | null;
}

export interface IssuedKey {
  readonly key: ApiKey;
  /** Shown once: only its hash is stored. */
  readonly secret: string;
}

interface RotationOptions {
  /** The secret that clients use: the given one, or the oldest or newest valid one. */
  readonly inUse?: 'oldest' | 'newest' | { readonly secret: string };
  /** Unix milliseconds. */
  readonly now?: number;
  /** By default clients may rotate a key any number of times. Rotations by the command line do not count. */
  readonly limit?: { readonly max: number; readonly period: number };
}

type Columns = QueryDeepPartialEntity<ApiKey> | undefined;
type Edit = (key: ApiKey, transaction: EntityManager) => Columns | Promise<Columns>;

/** Manages API keys and records every change in the history. Methods return `null` if no key has the id. */
@Injectable()
export class ApiKeysService {
  private readonly keys: Repository<ApiKey>;

  constructor(
    dataSource: DataSource,
    private readonly history: KeyHistory,
  ) {
    this.keys = dataSource.getRepository(ApiKey);
  }

  create({ name, plan, limits, expiresAt, scopes }: NewApiKey): Promise<IssuedKey> {
    const secret = makeSecret();
    return this.keys.manager.transaction(async (transaction) => {
      const { id } = await transaction.save(
        this.keys.create({
          name,
          plan,
          perMinute: limits?.perMinute ?? null,
          perDay: limits?.perDay ?? null,
          expiresAt: expiresAt ?? null,
          scopes: scopes ? [...scopes] : null,
          ...secretColumns(secret),
        }),
      );
      const key = await transaction.findOneByOrFail(ApiKey, { id });
      await this.history.record(transaction, 'create', undefined, key);
      return { key, secret };
    });
  }

  list(): Promise<ApiKey[]> {
    return this.keys.find({ order: { id: 'ASC' } });
  }

  find(id: Int64): Promise<ApiKey | null> {
    return this.keys.findOneBy({ id });
  }

  /** @param decide returns the changes; it runs while the row is locked. @throws KeyIsRevoked */
  update(id: Int64, decide: (key: ApiKey) => KeyEdit): Promise<ApiKey | null> {
    return this.change('update', id, (key) => {
      if (key.revokedAt) throw new KeyIsRevoked(id);
      const { name, plan, expiresAt, scopes } = decide(key);
      return {
        ...(name !== undefined && { name }),
        ...(plan && {
          plan: plan.plan,
          perMinute: plan.limits?.perMinute ?? null,
          perDay: plan.limits?.perDay ?? null,
        }),
        ...(expiresAt !== undefined && { expiresAt }),
        ...(scopes !== undefined && { scopes: scopes && [...scopes] }),
      };
    });
  }

  /**
   * Gives a key a new secret; its id, quota and bans stay. The secret in use remains valid until `oldEndsAt`;
   * without it, it ends immediately. Any other secret ends immediately. If an earlier rotation already
   * replaced the secret in use, its end stays.
   * @throws KeyIsRevoked @throws KeyHasExpired @throws InvalidApiKey if the given secret has ended
   * @throws TooManyRotations beyond the limit
   */
  async rotate(
    id: Int64,
    oldEndsAt?: Date,
    { inUse = 'oldest', now = Date.now(), limit }: RotationOptions = {},
  ): Promise<IssuedKey | null> {
    const secret = makeSecret();
    const key = await this.change('rotate', id, async (before, transaction) => {
      const { hash, revokedAt, expiresAt } = before;
      if (revokedAt) throw new KeyIsRevoked(id);
      if (expiresAt && expiresAt.getTime() <= now) throw new KeyHasExpired(id, expiresAt);
      const replacesNewest = isPrevious(before, inUse, now);
      const wait = limit ? await this.history.waitForRotation(transaction, id, limit.max, limit.period) : 0;
      if (wait > 0) throw new TooManyRotations(Math.ceil(wait / 1000));
      if (!oldEndsAt) return { ...secretColumns(secret), previousHash: null, previousEndsAt: null };
      if (replacesNewest) return secretColumns(secret);
      return { ...secretColumns(secret), previousHash: hash, previousEndsAt: oldEndsAt };
    });
    return key && { key, secret };
  }

  /** Revokes a key permanently. Revoking it again changes nothing. */
  revoke(id: Int64): Promise<ApiKey | null> {
    return this.change('revoke', id, ({ revokedAt }) =>
      revokedAt ? undefined : { revokedAt: () => 'now()' },
    );
  }

  /** Bans a key until the given time, unless it already has a longer ban. @throws KeyIsRevoked */
  ban(id: Int64, endsAt: Date): Promise<ApiKey | null> {
    return this.change('ban', id, ({ revokedAt, banEndsAt, banLevel }) => {
      if (revokedAt) throw new KeyIsRevoked(id);
      if (banEndsAt && banEndsAt >= endsAt) return undefined;
      const last = banEndsAt ? { endsAt: banEndsAt.getTime(), level: banLevel } : undefined;
      return { banEndsAt: endsAt, banLevel: Math.max(remainingLevel(last, Date.now()), 1) };
    });
  }

  /** Lifts a ban and resets the escalation. The used quota stays. */
  unban(id: Int64): Promise<ApiKey | null> {
    return this.change('unban', id, () => ({ banEndsAt: null, banLevel: 0, banLiftedAt: () => 'now()' }));
  }

  /**
   * Changes a key and records the change, in one transaction.
   * @param edit returns `undefined` to change nothing
   */
  private change(action: KeyAction, id: Int64, edit: Edit): Promise<ApiKey | null> {
    return this.keys.manager.transaction(async (transaction) => {
      const before = await transaction
        .createQueryBuilder(ApiKey, 'key')
        .addSelect(['key.hash', 'key.previousHash'])
        .where({ id })
        .setLock('for_no_key_update')
        .getOne();
      const columns = before && (await edit(before, transaction));
      if (!columns) return before;
      await transaction.update(ApiKey, { id }, columns);
      const after = await transaction.findOneByOrFail(ApiKey, { id });
      await this.history.record(transaction, action, before, after);
      return after;
    });
  }
}

const secretColumns = (secret: string) => ({
  hash: hashColumn(secret),
  ...describeSecret(secret),
});

/** Whether the secret in use is the one before the last rotation. @throws InvalidApiKey */
function isPrevious(
  { hash, previousHash, previousEndsAt }: ApiKey,
  inUse: NonNullable<RotationOptions['inUse']>,
  now: number,
): boolean {
  const previous = previousEndsAt && previousEndsAt.getTime() > now ? previousHash : null;
  if (typeof inUse === 'string') return previous !== null && inUse === 'oldest';
  const sent = hashColumn(inUse.secret);
  if (hash.equals(sent)) return false;
  if (previous?.equals(sent)) return true;
  throw new InvalidApiKey();
}

const hashColumn = (secret: string): Buffer => Buffer.from(hashSecret(secret), 'hex');
