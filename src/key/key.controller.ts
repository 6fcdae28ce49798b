import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { InvalidApiKey, KeyHasExpired, KeyIsRevoked } from '../auth/auth.errors.js';
import { ApiKeysService } from '../auth/api-keys.service.js';
import { type ApiKeyPrincipal, CurrentPrincipal, SentSecret } from '../auth/principal.js';
import { RequireScope } from '../auth/scope.guard.js';
import { Clock } from '../kernel/clock/clock.js';
import { seconds } from '../kernel/clock/duration.js';
import { InternalError } from '../kernel/errors/common.errors.js';
import { ClientMethod, Tag } from '../openapi/decorators/operation-marks.js';
import { DailyUsageRepository } from '../rate-limit/daily-usage/daily-usage.repository.js';
import { KeyResponse, RotatedKeyResponse } from './dto/key.response.js';
import { RotateKeyDto } from './dto/rotate-key.dto.js';
import { DayUsageResponse, UsageQuery } from './dto/usage.query.js';

@Tag('key', 'Your own API key')
@Controller({ version: '1' })
export class KeyController {
  constructor(
    private readonly keys: ApiKeysService,
    private readonly usage: DailyUsageRepository,
    private readonly clock: Clock,
  ) {}

  @Get('key')
  @ClientMethod('key.get')
  @ApiOperation({
    operationId: 'getKey',
    summary: 'Get your key',
    description:
      'Returns the plan, scopes, expiry and last use of the key that sent the request, but never its secret.',
  })
  @ApiOkResponse({ type: KeyResponse, description: 'Your key.' })
  async show(@CurrentPrincipal() { id }: ApiKeyPrincipal): Promise<KeyResponse> {
    const key = await this.keys.find(id);
    if (!key) throw new InternalError(); // keys are revoked and never deleted
    return KeyResponse.from(key, this.clock.now());
  }

  @Post('key/rotate')
  @HttpCode(200)
  @RequireScope('key:rotate')
  @ClientMethod('key.rotate')
  @ApiOperation({
    operationId: 'rotateKey',
    summary: 'Rotate your key',
    description:
      'Replaces the secret; the id, quota and bans of the key stay. The new secret is shown only once. ' +
      '`Idempotency-Key` is not supported, because secrets are not stored: if the response is lost, rotate again ' +
      'with the old secret. That replaces the lost one, and the old secret still ends at the same time.',
  })
  @ApiOkResponse({ type: RotatedKeyResponse, description: 'The new secret.' })
  async rotate(
    @Body() { overlapSeconds }: RotateKeyDto,
    @CurrentPrincipal() { id }: ApiKeyPrincipal,
    @SentSecret() secret: string,
  ): Promise<RotatedKeyResponse> {
    const now = this.clock.now();
    const oldEndsAt = overlapSeconds > 0 ? new Date(now + seconds(overlapSeconds)) : undefined;
    const rotated = await this.keys.rotate(id, oldEndsAt, { inUse: { secret }, now }).catch(refuse);
    if (!rotated) throw new InternalError(); // keys are revoked and never deleted
    return RotatedKeyResponse.from(rotated);
  }

  @Get('usage')
  @ClientMethod('key.usage')
  @ApiOperation({
    operationId: 'getUsage',
    summary: 'Get your usage',
    description: 'Returns the number of requests on each UTC day that had any, newest first.',
  })
  @ApiOkResponse({ type: [DayUsageResponse], description: 'One item for each day.' })
  history(
    @Query() { days }: UsageQuery,
    @CurrentPrincipal() { id }: ApiKeyPrincipal,
  ): Promise<DayUsageResponse[]> {
    return this.usage.history(id, days);
  }
}

/** The key was revoked or expired after the guards accepted it. */
function refuse(error: unknown): never {
  throw error instanceof KeyIsRevoked || error instanceof KeyHasExpired ? new InvalidApiKey() : error;
}
