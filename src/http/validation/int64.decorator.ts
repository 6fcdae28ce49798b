import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform, type TransformFnParams } from 'class-transformer';
import { numberText } from '../../kernel/json/number-texts.js';
import { isInt64, parseInt64 } from '../../kernel/json/int64.js';
import { rule } from './rule.js';

/**
 * A body member that is a signed 64-bit integer, exact over the whole range. A string, a fraction, an exponent
 * form (even of a whole value, such as 1.0) and a value out of range are refused.
 */
export function Int64Field(document: ApiPropertyOptions): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ type: 'integer', format: 'int64', ...document }),
    Transform(({ obj, key, value }: TransformFnParams): unknown => exact(obj, key) ?? refusable(value)),
    rule(
      'int64',
      isInt64,
      'must be a whole number from -9223372036854775808 to 9223372036854775807, in digits',
    ),
  );
}

function exact(holder: unknown, key: string) {
  const text = numberText(holder, key);
  return text === undefined ? undefined : parseInt64(text);
}

/** A number whose text was refused must not pass as the double it was rounded to. */
const refusable = (value: unknown): unknown => (typeof value === 'number' ? NaN : value);
