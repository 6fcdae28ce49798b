import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsString } from 'class-validator';
import { rule } from '../validation/rule.js';
import { Optional } from '../validation/optional.decorator.js';

const MIN_LIMIT = 1;
const MAX_LIMIT = 100;
const DEFAULT_LIMIT = 20;

/** What every paged list takes. A list's own query adds its filters to it. */
export class PageQuery {
  @Limit()
  readonly limit: number = DEFAULT_LIMIT;

  @ApiPropertyOptional({
    description: 'Where the page starts: the `cursor` of the `Link` header of the page before. Opaque.',
    example: 'AAAAAAAAABThv7qlTs2QPg',
  })
  @Optional()
  @IsString()
  readonly cursor?: string;
}

/** Plain decimal digits only: `1e1`, ` 5`, `0x10`, nothing and a repeated parameter are refused, never clamped. */
function Limit(): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({
      type: 'integer',
      format: 'int32',
      description: 'The most items the page may hold.',
      minimum: MIN_LIMIT,
      maximum: MAX_LIMIT,
      default: DEFAULT_LIMIT,
    }),
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' ? (/^\d+$/.test(value) ? Number(value) : NaN) : value,
    ),
    rule({
      name: 'limitType',
      code: 'type',
      test: (value) => typeof value === 'number' && !Number.isNaN(value),
      message: 'must be an integer',
    }),
    rule({
      name: 'limitRange',
      code: 'range',
      test: (value) => Number(value) >= MIN_LIMIT && Number(value) <= MAX_LIMIT,
      message: `must be from ${MIN_LIMIT} to ${MAX_LIMIT}`,
    }),
  );
}
