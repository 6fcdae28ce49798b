import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { hours, seconds } from '../../kernel/clock/duration.js';
import { InternalError } from '../../kernel/errors/common.errors.js';
import type { Int64 } from '../../kernel/json/int64.js';
import { ApiKeysService } from '../keys/api-keys.service.js';
import { InvalidApiKey, KeyHasExpired, KeyIsRevoked } from '../keys/keys.errors.js';
import { KeyResponse, RotatedKeyResponse } from './dto/key.response.js';

/** How often a key may rotate itself: each time every process reads the key again, and the history grows. */
const ROTATIONS = { max: 10, period: hours(24) };

/** What the holder of a key may do with it over HTTP. */
@Injectable()
export class KeyService {
  constructor(
    private readonly keys: ApiKeysService,
    private readonly clock: Clock,
  ) {}

  async show(id: Int64): Promise<KeyResponse> {
    return KeyResponse.from(existing(await this.keys.find(id)), this.clock.now());
  }

  /**
   * @param secret the secret that the client sent
   * @param overlapSeconds how long it keeps working
   * @throws InvalidApiKey if the key was revoked or expired after the guards had accepted it
   * @throws TooManyRotations
   */
  async rotate(id: Int64, secret: string, overlapSeconds: number): Promise<RotatedKeyResponse> {
    const now = this.clock.now();
    const oldEndsAt = overlapSeconds > 0 ? new Date(now + seconds(overlapSeconds)) : undefined;
    const rotated = await this.keys
      .rotate(id, oldEndsAt, { inUse: { secret }, now, limit: ROTATIONS })
      .catch(rethrowAsInvalidApiKey);
    return RotatedKeyResponse.from(existing(rotated));
  }
}

/** Keys are revoked and never deleted. */
function existing<T>(found: T | null): T {
  if (!found) throw new InternalError();
  return found;
}

function rethrowAsInvalidApiKey(error: unknown): never {
  throw error instanceof KeyIsRevoked || error instanceof KeyHasExpired ? new InvalidApiKey() : error;
}
