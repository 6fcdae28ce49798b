import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { IntegerParameter } from '../../../http/validation/property.decorators.js';
import { Int64Property } from '../../../kernel/json/property-types.js';

export class UsageQuery {
  @IntegerParameter({ description: 'Number of days, including today.', min: 1, max: 366, default: 30 })
  readonly days: number = 30;
}

@ApiSchema({ name: 'DayUsage' })
export class DayUsageResponse {
  @ApiProperty({ type: 'string', format: 'date', description: 'The UTC day.', example: '2026-11-20' })
  readonly day!: string;

  @Int64Property({
    minimum: 0,
    description: 'Requests that counted. The last second may be missing.',
    example: 811,
  })
  readonly requests!: number;
}
