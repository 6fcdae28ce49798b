import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { isInt64 } from '../../kernel/json/int64.js';
import { rule } from './rule.js';

/** A signed 64-bit integer in a body, exact. A string and a fraction are invalid; `1.0` and `1e3` are integers, as in JSON Schema. */
export function Int64Field(document: ApiPropertyOptions): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ type: 'integer', format: 'int64', ...document }),
    rule({ name: 'int64Type', code: 'type', test: isNumber, message: 'must be an integer' }),
    rule({
      name: 'int64Form',
      code: 'format',
      test: (value) => typeof value === 'bigint' || !Number.isFinite(value) || Number.isInteger(value),
      message: 'must be an integer, without a fraction',
    }),
    rule({
      name: 'int64Range',
      code: 'range',
      test: isInt64,
      message: 'must be from -9223372036854775808 to 9223372036854775807',
    }),
  );
}

const isNumber = (value: unknown): boolean => typeof value === 'number' || typeof value === 'bigint';
