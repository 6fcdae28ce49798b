import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, Repository } from 'typeorm';
import type { Int64 } from '../json/int64.js';
import { ApiKey } from './api-key.entity.js';
import type { Limits, Plan } from './plans.js';
import { describeSecret, hashSecret, makeSecret } from './secret.js';

export interface NewApiKey {
  readonly name: string;
  readonly plan: Plan;
  /** For the enterprise plan, and only for it. */
  readonly limits?: Limits;
  readonly expiresAt?: Date;
}

/** The life of API keys. */
@Injectable()
export class ApiKeysService {
  constructor(@InjectRepository(ApiKey) private readonly keys: Repository<ApiKey>) {}

  /** Makes a key. The secret is in no later answer: only its hash is kept. */
  async create({ name, plan, limits, expiresAt }: NewApiKey): Promise<{ key: ApiKey; secret: string }> {
    const secret = makeSecret();
    const { id } = await this.keys.save(
      this.keys.create({
        name,
        plan,
        perMinute: limits?.perMinute ?? null,
        perDay: limits?.perDay ?? null,
        expiresAt: expiresAt ?? null,
        hash: Buffer.from(hashSecret(secret), 'hex'),
        ...describeSecret(secret),
      }),
    );
    return { key: await this.keys.findOneByOrFail({ id }), secret };
  }

  list(): Promise<ApiKey[]> {
    return this.keys.find({ order: { id: 'ASC' } });
  }

  find(id: Int64): Promise<ApiKey | null> {
    return this.keys.findOneBy({ id });
  }

  /** Ends a key at once and for good; revoking it again changes nothing. `null` when no key has the id. */
  async revoke(id: Int64): Promise<ApiKey | null> {
    await this.keys.update({ id, revokedAt: IsNull() }, { revokedAt: () => 'now()' });
    return this.find(id);
  }

  /** Bans a key until a time; a longer ban on record stays, and so does a higher level of escalation. */
  async ban(id: Int64, endsAt: Date, level = 1): Promise<ApiKey | null> {
    await this.keys
      .createQueryBuilder()
      .update({ banEndsAt: endsAt, banLevel: () => 'greatest(ban_level, :level)' })
      .where('id = :id AND (ban_ends_at IS NULL OR ban_ends_at < :endsAt)', { id, endsAt, level })
      .execute();
    return this.find(id);
  }

  /** Lifts a ban and forgets the ones before it. The quota stays as it was used. */
  async unban(id: Int64): Promise<ApiKey | null> {
    await this.keys.update({ id }, { banEndsAt: null, banLevel: 0, forgivenAt: () => 'now()' });
    return this.find(id);
  }

  /** The key with this hash, unless it was revoked. */
  findByHash(hash: string): Promise<ApiKey | null> {
    return this.keys.findOneBy({ hash: Buffer.from(hash, 'hex'), revokedAt: IsNull() });
  }
}
