import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { type ApiKeyPrincipal, CurrentPrincipal } from '../auth/principal.js';
import { Tag } from '../../http/core/operation-marks.js';
import { DailyUsageRepository } from '../rate-limit/daily-usage/daily-usage.repository.js';
import { DayUsageResponse, UsageQuery } from './dto/usage.query.js';

@Tag('key', 'Your own API key')
@Controller({ path: 'usage', version: '1' })
export class UsageController {
  constructor(private readonly usage: DailyUsageRepository) {}

  @Get()
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
