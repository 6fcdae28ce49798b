import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { rule } from './rule.js';

interface IntegerParameterOptions {
  readonly description: string;
  readonly min: number;
  readonly max: number;
  readonly default: number;
}

/**
 * A query parameter that is an integer from `min` to `max`, in plain decimal digits: `1e1`, ` 5`, `0x10`, nothing and a
 * repeated parameter are refused, never clamped.
 */
export function IntegerParameter({ min, max, ...document }: IntegerParameterOptions): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ type: 'integer', format: 'int32', minimum: min, maximum: max, ...document }),
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' ? (/^\d+$/.test(value) ? Number(value) : NaN) : value,
    ),
    rule({
      name: 'integerType',
      code: 'type',
      test: (value) => typeof value === 'number' && !Number.isNaN(value),
      message: 'must be an integer',
    }),
    rule({
      name: 'integerRange',
      code: 'range',
      test: (value) => Number(value) >= min && Number(value) <= max,
      message: `must be from ${min} to ${max}`,
    }),
  );
}
