import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsString } from 'class-validator';
import { rule } from '../validation/rule.js';
import { Optional } from '../validation/optional.decorator.js';

const MIN_LIMIT = 1;
const MAX_LIMIT = 100;
const DEFAULT_LIMIT = 20;

/** The query of every paged list. A list extends it with its filters. */
export class PageQuery {
  @Limit()
  readonly limit: number = DEFAULT_LIMIT;

  @ApiPropertyOptional({
    description: 'Start of the page: the `cursor` in the `Link` header of the previous page. Opaque.',
    example: 'AAAAAAAAABThv7qlTs2QPg',
  })
  @Optional()
  @IsString()
  readonly cursor?: string;
}

/** Decimal digits only: `1e1`, ` 5`, `0x10`, an empty and a repeated parameter are refused. */
function Limit(): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({
      type: 'integer',
      format: 'int32',
      description: 'Maximum number of items in the page.',
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
