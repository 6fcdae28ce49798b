import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { rule } from './rule.js';

interface TextOptions extends Pick<ApiPropertyOptions, 'description' | 'required'> {
  /** Unicode code points, as JSON Schema and PostgreSQL count them. */
  readonly max: number;
  readonly example?: string;
}

/** 1 to `max` code points, not only white space. U+0000 and lone surrogates are invalid: PostgreSQL cannot store them. */
export function Text({ max, ...document }: TextOptions): PropertyDecorator {
  return applyDecorators(
    ApiProperty({
      ...document,
      type: 'string',
      minLength: 1,
      maxLength: max,
      pattern: '^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$',
    } as ApiPropertyOptions),
    rule({ name: 'isText', code: 'type', test: isString, message: 'must be a string' }),
    rule({
      name: 'textLength',
      code: 'length',
      test: (value) => isString(value) && hasLength(value, max),
      message: `must have 1 to ${max} characters`,
    }),
    rule({
      name: 'textNotBlank',
      code: 'format',
      test: (value) => isString(value) && value.trim() !== '',
      message: 'must not be only white space',
    }),
    rule({
      name: 'textStorable',
      code: 'format',
      test: (value) => isString(value) && value.isWellFormed() && !value.includes('\0'),
      message: 'must not contain U+0000 or a lone surrogate',
    }),
  );
}

const isString = (value: unknown): value is string => typeof value === 'string';

/** Checks the length in UTF-16 units first, at most two per code point, so that code points of a long text are not counted. */
const hasLength = (text: string, max: number): boolean =>
  text !== '' && text.length <= 2 * max && Array.from(text).length <= max;
