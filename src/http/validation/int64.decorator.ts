import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform, type TransformFnParams } from 'class-transformer';
import { isInt64, parseInt64 } from '../../kernel/json/int64.js';
import { numberText } from '../../kernel/json/number-texts.js';
import { rule } from './rule.js';

/** A signed 64-bit integer in a body, exact. A string, a fraction, an exponent and 1.0 are invalid. */
export function Int64Field(document: ApiPropertyOptions): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ type: 'integer', format: 'int64', ...document }),
    Transform(exact),
    rule({ name: 'int64Type', code: 'type', test: isNumber, message: 'must be an integer' }),
    rule({
      name: 'int64Form',
      code: 'format',
      test: (value) => !Number.isNaN(value) && (!Number.isFinite(value) || Number.isInteger(value)),
      message: 'must be an integer, without a fraction or an exponent',
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

/** NaN or Infinity for a number that is not an int64: the rounded double must not pass. */
function exact({ obj, key, value }: TransformFnParams): unknown {
  if (typeof value !== 'number') return value;
  const text = numberText(obj, key);
  if (text === undefined || /[.eE]/.test(text)) return NaN;
  return parseInt64(text) ?? Infinity;
}
