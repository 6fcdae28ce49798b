import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { rule } from './rule.js';

interface TextOptions extends Pick<ApiPropertyOptions, 'description' | 'required'> {
  /** Unicode code points, as JSON Schema and PostgreSQL count them. */
  readonly max: number;
  readonly example?: string;
}

/**
 * A text of 1 to `max` code points with at least one that is not white space. U+0000 and lone surrogates are
 * refused: PostgreSQL cannot hold them.
 */
export function Text({ max, ...document }: TextOptions): PropertyDecorator {
  const isText = (value: unknown): boolean =>
    typeof value === 'string' &&
    value.length <= 2 * max &&
    Array.from(value).length <= max &&
    value.trim() !== '' &&
    value.isWellFormed() &&
    !value.includes('\0');
  return applyDecorators(
    ApiProperty({
      ...document,
      type: 'string',
      minLength: 1,
      maxLength: max,
      pattern: '^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$',
    } as ApiPropertyOptions),
    rule(
      'text',
      isText,
      `must be a text of 1 to ${max} characters, not only white space, without U+0000 and lone surrogates`,
    ),
  );
}
