import { PLACES } from '../../../kernel/config/service.js';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { type ApiKey, previousSecretEnd } from '../../keys/api-key.entity.js';
import type { IssuedKey } from '../../keys/api-keys.service.js';
import type { Plan } from '../../plans/plans.js';
import { type Scope, SCOPES } from '../../keys/scopes.js';
import type { Int64 } from '../../../kernel/json/int64.js';
import { Int64Property, OptionalTimeProperty, TimeProperty } from '../../../kernel/json/property-types.js';

@ApiSchema({ name: 'ApiKey' })
export class KeyResponse {
  @Int64Property({ description: 'Identifier of the key. A rotation keeps it.', example: 5 })
  readonly id!: Int64;

  @ApiProperty({ description: 'The name that the operator gave it.', example: 'web shop' })
  readonly name!: string;

  @ApiProperty({
    enum: [PLACES.plans],
    enumName: 'Plan',
    description: 'The plan of your key.',
    example: PLACES.plan,
  })
  readonly plan!: Plan;

  @ApiProperty({
    enum: SCOPES,
    enumName: 'Scope',
    enumSchema: { type: 'string' } as object, // the modules fill the list later, so the library cannot see what it holds
    isArray: true,
    description: 'What the key may do.',
  })
  readonly scopes!: readonly Scope[];

  @TimeProperty({ description: 'When it was created (RFC 3339, UTC).', example: '2026-11-20T09:30:00.000Z' })
  readonly createdAt!: string;

  @OptionalTimeProperty({
    description: 'When it expires. Absent if it never does.',
    example: '2030-06-30T00:00:00.000Z',
  })
  readonly expiresAt?: string;

  @OptionalTimeProperty({
    description: 'The last recorded use, which may be some seconds late. Absent before the first.',
    example: '2026-11-21T08:00:00.000Z',
  })
  readonly lastUsedAt?: string;

  @OptionalTimeProperty({
    description: 'When the secret from before the last rotation ends. Absent if there is none.',
    example: '2026-11-22T08:00:00.000Z',
  })
  readonly oldSecretEndsAt?: string;

  /** @param now Unix milliseconds */
  static from(key: ApiKey, now: number): KeyResponse {
    const { expiresAt, lastUsedAt } = key;
    const oldSecretEnd = previousSecretEnd(key);
    return {
      id: key.id,
      name: key.name,
      plan: key.plan,
      scopes: key.scopes ?? SCOPES,
      createdAt: key.createdAt.toISOString(),
      ...(expiresAt && { expiresAt: expiresAt.toISOString() }),
      ...(lastUsedAt && { lastUsedAt: lastUsedAt.toISOString() }),
      ...(oldSecretEnd && oldSecretEnd.getTime() > now && { oldSecretEndsAt: oldSecretEnd.toISOString() }),
    };
  }
}

@ApiSchema({ name: 'RotatedKey' })
export class RotatedKeyResponse {
  @ApiProperty({
    description: 'The new secret. It is shown only once: only its hash is stored.',
    example: `${PLACES.prefix}_…`,
  })
  readonly key!: string;

  @OptionalTimeProperty({
    description: 'When the old secret ends. Absent if it has ended.',
    example: '2026-11-22T08:00:00.000Z',
  })
  readonly oldSecretEndsAt?: string;

  static from({ key, secret }: IssuedKey): RotatedKeyResponse {
    const end = previousSecretEnd(key);
    return { key: secret, ...(end && { oldSecretEndsAt: end.toISOString() }) };
  }
}
