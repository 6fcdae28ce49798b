import { Controller, Get, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import type { Request } from 'express';
import { type ApiKeyPrincipal, CurrentPrincipal } from '../auth/principal.js';
import { Clock } from '../../kernel/clock/clock.js';
import { Tag } from '../../http/core/operation-marks.js';
import { RateLimitResponse } from './dto/rate-limit.response.js';
import { FreeAllowance } from '../rate-limit/plan-throttler.guard.js';

@Tag('limits', 'Your rate limits')
@Controller({ path: 'rate-limit', version: '1' })
export class RateLimitController {
  constructor(private readonly clock: Clock) {}

  @Get()
  @FreeAllowance({ perMinute: 60 })
  @ApiOperation({
    operationId: 'getRateLimit',
    summary: 'Get your rate limits',
    description:
      'Returns both windows of your quota, and your ban if there is one. Up to 60 of these requests a minute are ' +
      'free, even while the key is exhausted or banned; any more count like other requests.',
  })
  @ApiOkResponse({ type: RateLimitResponse, description: 'Plan, windows and ban.' })
  show(@Req() { rateLimit }: Request, @CurrentPrincipal() { plan }: ApiKeyPrincipal): RateLimitResponse {
    return RateLimitResponse.from(plan, rateLimit, this.clock.now());
  }
}
