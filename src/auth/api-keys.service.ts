import type { DataSource, Repository } from 'typeorm';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity.js';
import type { Int64 } from '../kernel/json/int64.js';
import { ApiKey } from './api-key.entity.js';
import type { KeyAction } from './key-history.entity.js';
import type { KeyHistory } from './key-history.js';
import { KeyHasExpired, KeyIsRevoked } from './key-refusals.js';
import type { Limits, Plan } from './plans.js';
import type { Scope } from './scopes.js';
import { describeSecret, hashSecret, makeSecret } from './secret.js';

export interface NewApiKey {
  readonly name: string;
  readonly plan: Plan;
  /** For the enterprise plan, and only for it. */
  readonly limits?: Limits | null;
  /** Never, unless given. */
  readonly expiresAt?: Date | null;
  /** All, unless given. */
  readonly scopes?: readonly Scope[] | null;
}

/** What of a key can be changed. What is left out stays. */
export interface KeyUpdate {
  readonly name?: string;
  /** Both numbers with the enterprise plan, `null` with any other. */
  readonly plan?: { readonly plan: Plan; readonly limits: Limits | null };
  /** `null`: never. */
  readonly expiresAt?: Date | null;
  /** `null`: all. */
  readonly scopes?: readonly Scope[] | null;
}

export interface IssuedKey {
  readonly key: ApiKey;
  /** Shown to its owner this once: only its hash is kept. */
  readonly secret: string;
}

/** Times in Unix milliseconds. */
export interface EarnedBan {
  readonly id: Int64;
  readonly endsAt: number;
  readonly level: number;
  readonly since: number;
}

type Edit = QueryDeepPartialEntity<ApiKey> | undefined;

/** The life of API keys. Every change is put on record. `null` stands for: no key has the id. */
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

  /** @param decide says what to change, knowing the key as it is; nobody else changes it meanwhile. @throws KeyIsRevoked */
  update(id: Int64, decide: (key: ApiKey) => KeyUpdate): Promise<ApiKey | null> {
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
   * Gives a key a new secret. Its id stays, and so do its quota and its bans. The old secret works until `oldEndsAt`, or
   * ends now; one that was rotated out earlier ends now in any case. @throws KeyIsRevoked @throws KeyHasExpired
   */
  async rotate(id: Int64, oldEndsAt?: Date): Promise<IssuedKey | null> {
    const secret = makeSecret();
    const key = await this.change('rotate', id, ({ hash, revokedAt, expiresAt }) => {
      if (revokedAt) throw new KeyIsRevoked(id);
      if (expiresAt && expiresAt.getTime() <= Date.now()) throw new KeyHasExpired(id, expiresAt);
      const previousHash = oldEndsAt ? hash : null;
      return { ...secretColumns(secret), previousHash, previousEndsAt: oldEndsAt ?? null };
    });
    return key && { key, secret };
  }

  /** Ends a key at once and for good; revoking it again changes nothing. */
  revoke(id: Int64): Promise<ApiKey | null> {
    return this.change('revoke', id, ({ revokedAt }) =>
      revokedAt ? undefined : { revokedAt: () => 'now()' },
    );
  }

  /** Bans a key until a time; a longer ban on record stays. */
  ban(id: Int64, endsAt: Date): Promise<ApiKey | null> {
    return this.change('ban', id, ({ banEndsAt, banLevel }) =>
      banEndsAt && banEndsAt >= endsAt ? undefined : { banEndsAt: endsAt, banLevel: Math.max(banLevel, 1) },
    );
  }

  /** Lifts a ban and forgets the ones before it. The quota stays as it was used. */
  unban(id: Int64): Promise<ApiKey | null> {
    return this.change('unban', id, () => ({ banEndsAt: null, banLevel: 0, forgivenAt: () => 'now()' }));
  }

  /**
   * Bans that keys brought upon themselves. A longer one on record stays, so does a higher level of escalation, and a ban
   * that was lifted meanwhile stays lifted. They are not in the history: what cannot be cleared must not grow with what a
   * client does.
   */
  async recordBans(bans: readonly EarnedBan[]): Promise<void> {
    await this.keys.query(
      `WITH earned AS (SELECT id, to_timestamp(ends / 1000) AS ends_at, level, to_timestamp(since / 1000) AS since
                         FROM unnest($1::bigint[], $2::float8[], $3::smallint[], $4::float8[]) AS u (id, ends, level, since)),
            due AS (SELECT id, ends_at, level FROM api_keys JOIN earned USING (id)
                     WHERE (ban_ends_at IS NULL OR ban_ends_at < ends_at) AND (forgiven_at IS NULL OR forgiven_at < since)
                     ORDER BY id FOR NO KEY UPDATE OF api_keys) -- in one order, so that no two processes deadlock
       UPDATE api_keys SET ban_ends_at = due.ends_at, ban_level = greatest(ban_level, due.level)
         FROM due WHERE api_keys.id = due.id`,
      [
        bans.map(({ id }) => id),
        bans.map(({ endsAt }) => endsAt),
        bans.map(({ level }) => level),
        bans.map(({ since }) => since),
      ],
    );
  }

  /** The key behind the hash of a secret, and when that secret ends; nothing when the key was revoked. */
  async findByHash(hash: string): Promise<{ key: ApiKey; endsAt: Date | null } | null> {
    const sent = Buffer.from(hash, 'hex');
    const key = await this.withHash()
      .where('(key.hash = :sent OR key.previous_hash = :sent) AND key.revoked_at IS NULL', { sent })
      .getOne();
    if (!key) return null;
    return {
      key,
      endsAt: key.hash.equals(sent) ? key.expiresAt : earlier(key.previousEndsAt, key.expiresAt),
    };
  }

  /** Notes when keys were last used, in Unix milliseconds; not again within a minute, whichever process noted it. */
  async noteUse(times: readonly (readonly [id: Int64, time: number])[]): Promise<void> {
    await this.keys.query(
      `WITH used AS (SELECT id, to_timestamp(ms / 1000) AS time FROM unnest($1::bigint[], $2::float8[]) AS u (id, ms)),
            due AS (SELECT id, time FROM api_keys JOIN used USING (id)
                     WHERE last_used_at IS NULL OR last_used_at <= time - interval '1 minute'
                     ORDER BY id FOR NO KEY UPDATE OF api_keys) -- in one order, so that no two processes wait for each other
       UPDATE api_keys SET last_used_at = due.time FROM due WHERE api_keys.id = due.id`,
      [times.map(([id]) => id), times.map(([, time]) => time)],
    );
  }

  /** Changes a key and puts that on record, or does neither; `undefined` from `edit` is no change. */
  private change(action: KeyAction, id: Int64, edit: (key: ApiKey) => Edit): Promise<ApiKey | null> {
    return this.keys.manager.transaction(async (transaction) => {
      const before = await this.withHash(transaction.getRepository(ApiKey))
        .where({ id })
        .setLock('for_no_key_update')
        .getOne();
      const columns = before && edit(before);
      if (!columns) return before;
      await transaction.update(ApiKey, { id }, columns);
      const after = await transaction.findOneByOrFail(ApiKey, { id });
      await this.history.record(transaction, action, before, after);
      return after;
    });
  }

  private withHash(keys = this.keys) {
    return keys.createQueryBuilder('key').addSelect('key.hash');
  }
}

const secretColumns = (secret: string) => ({
  hash: Buffer.from(hashSecret(secret), 'hex'),
  ...describeSecret(secret),
});

const earlier = (one: Date | null, other: Date | null): Date | null =>
  one && other ? (one < other ? one : other) : (one ?? other);
