import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { isInt64, parseInt64 } from '../../kernel/json/int64.js';
import { Optional } from './optional.decorator.js';
import { rule } from './rule.js';

interface Int64ListOptions extends Pick<ApiPropertyOptions, 'description'> {
  readonly max: number;
}

/** An optional query parameter of 1 to `max` signed 64-bit integers, separated by commas: `1,2,3`. */
export function Int64List({ max, description }: Int64ListOptions): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({
      type: 'array',
      items: { type: 'integer', format: 'int64' },
      minItems: 1,
      maxItems: max,
      style: 'form',
      explode: false,
      description,
      example: [1, 2, 3],
    } as unknown as ApiPropertyOptions), // `style` and `explode` are a parameter's, and @nestjs/swagger passes them on
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? read(value, max) : value)),
    Optional(),
    rule({
      name: 'int64List',
      code: 'format',
      test: (value) => Array.isArray(value) && value.every(isInt64),
      message: 'must be integers of 64 bits, separated by commas',
    }),
    rule({
      name: 'int64ListLength',
      code: 'length',
      test: (value) => Array.isArray(value) && value.length <= max,
      message: `must have at most ${max} integers`,
    }),
  );
}

/** An optional query parameter that is a signed 64-bit integer. */
export function Int64Parameter({ description }: Pick<ApiPropertyOptions, 'description'>): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ type: 'integer', format: 'int64', description, example: 42 }),
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' ? (parseInt64(value) ?? NaN) : value,
    ),
    Optional(),
    rule({ name: 'int64Parameter', code: 'format', test: isInt64, message: 'must be an integer of 64 bits' }),
  );
}

/** No more items are read than tell that there are too many. */
const read = (text: string, max: number) => text.split(',', max + 1).map(parseInt64);
