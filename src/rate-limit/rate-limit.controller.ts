import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import type { Request } from 'express';
import { type ApiKeyPrincipal, CurrentPrincipal } from '../auth/principal.js';
import { createRequestPartDecorator } from '../http/route/parameters.js';
import { Clock } from '../kernel/clock/clock.js';
import { ClientMethod, Tag } from '../openapi/decorators/operation-marks.js';
import { RateLimitResponse } from './dto/rate-limit.response.js';
import { FreeAllowance } from './plan-throttler.guard.js';
import { RateLimiter } from './rate-limiter.js';

/** Injects the request. With `@Req()`, unknown query parameters would not be refused. */
const Asking = createRequestPartDecorator((request) => request);

@Tag('limits', 'Your rate limits')
@Controller({ path: 'rate-limit', version: '1' })
export class RateLimitController {
  constructor(
    private readonly limiter: RateLimiter,
    private readonly clock: Clock,
  ) {}

  @Get()
  @FreeAllowance({ perMinute: 60 })
  @ClientMethod('rateLimits.get')
  @ApiOperation({
    operationId: 'getRateLimit',
    summary: 'Get your rate limits',
    description:
      'Returns both windows of your quota, and your ban if there is one. Up to 60 of these requests a minute are ' +
      'free, even while the key is exhausted or banned; any more count like other requests.',
  })
  @ApiOkResponse({ type: RateLimitResponse, description: 'Plan, windows and ban.' })
  async show(
    @Asking() request: Request,
    @CurrentPrincipal() { plan }: ApiKeyPrincipal,
  ): Promise<RateLimitResponse> {
    return RateLimitResponse.from(plan, await this.limiter.peek(request), this.clock.now());
  }
}
