import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsInt, Max, Min } from 'class-validator';

const MAX = 366;
const RANGE = { message: `days must be from 1 to ${MAX}` };

export class UsageQuery {
  @Days()
  readonly days: number = 30;
}

function Days(): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({
      type: 'integer',
      format: 'int32',
      minimum: 1,
      maximum: MAX,
      default: 30,
      description: 'How many days back, today included.',
    }),
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' ? (/^\d+$/.test(value) ? Number(value) : NaN) : value,
    ),
    IsInt({ message: 'days must be an integer' }),
    Min(1, RANGE),
    Max(MAX, RANGE),
  );
}

@ApiSchema({ name: 'DayUsage' })
export class DayUsageResponse {
  @ApiProperty({ type: 'string', format: 'date', description: 'The UTC day.', example: '2026-11-20' })
  readonly day!: string;

  @ApiProperty({
    type: 'integer',
    format: 'int64',
    minimum: 0,
    description: 'Requests that counted. With counters in memory up to 1.5 % of the daily limit too many.',
    example: 811,
  })
  readonly requests!: number;
}
