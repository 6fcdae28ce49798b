import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { SentSecret } from '../auth/bearer.guard.js';
import { type ApiKeyPrincipal, CurrentPrincipal } from '../auth/principal.js';
import { ApiErrors } from '../../kernel/errors/api-errors.decorator.js';
import { TooManyRotations } from '../keys/keys.errors.js';
import { RequireScope } from '../auth/require-scope.decorator.js';
import { Tag } from '../../http/core/operation-marks.js';
import { KeyResponse, RotatedKeyResponse } from './dto/key.response.js';
import { RotateKeyDto } from './dto/rotate-key.dto.js';
import { KeyService } from './key.service.js';

@Tag('key', 'Your own API key')
@Controller({ path: 'key', version: '1' })
export class KeyController {
  constructor(private readonly key: KeyService) {}

  @Get()
  @ApiOperation({
    operationId: 'getKey',
    summary: 'Get your key',
    description:
      'Returns the plan, scopes, expiry and last use of the key that sent the request, but never its secret.',
  })
  @ApiOkResponse({ type: KeyResponse, description: 'Your key.' })
  show(@CurrentPrincipal() { id }: ApiKeyPrincipal): Promise<KeyResponse> {
    return this.key.show(id);
  }

  @Post('rotate')
  @HttpCode(200)
  @RequireScope('key:rotate')
  @ApiOperation({
    operationId: 'rotateKey',
    summary: 'Rotate your key',
    description:
      'Replaces the secret; the id, quota and bans of the key stay. The new secret is shown only once. ' +
      '`Idempotency-Key` is not supported, because secrets are not stored: if the response is lost, rotate again ' +
      'with the old secret. That replaces the lost one, and the old secret still ends at the same time. ' +
      'At most ten rotations in 24 hours.',
  })
  @ApiOkResponse({ type: RotatedKeyResponse, description: 'The new secret.' })
  @ApiErrors(new TooManyRotations(51_022))
  rotate(
    @Body() { overlapSeconds }: RotateKeyDto,
    @CurrentPrincipal() { id }: ApiKeyPrincipal,
    @SentSecret() secret: string,
  ): Promise<RotatedKeyResponse> {
    return this.key.rotate(id, secret, overlapSeconds);
  }
}
