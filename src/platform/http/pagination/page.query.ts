import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { IsIn, IsString } from 'class-validator';
import { FIRST, type Sort } from './page.js';
import { IntegerParameter, OptionalNotNull } from '../validation/property.decorators.js';

const DEFAULT_LIMIT = 20;
/** The query parameters of every paged list. A list extends them with its filters. */
export class PageQuery {
  @IntegerParameter({
    description: 'Maximum number of items in the page.',
    min: 1,
    max: 100,
    default: DEFAULT_LIMIT,
  })
  readonly limit: number = DEFAULT_LIMIT;

  @ApiPropertyOptional({
    description:
      'Start of the page: the `cursor` in the `Link` header of the previous page. Opaque. `first` is that of the first page.',
    example: FIRST,
  })
  @OptionalNotNull()
  @IsString()
  readonly cursor?: string;
}

/** An optional query parameter by which a client chooses the order of a list. */
export const SortParameter = (
  values: readonly string[],
  document: Pick<ApiPropertyOptions, 'description' | 'default'>,
): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ ...document, enum: values }),
    OptionalNotNull(),
    IsIn(values, { message: '$property must be one of $constraint1' }),
  );

/** The query parameters of a list that can be read newest first, too. */
export class SortedPageQuery extends PageQuery {
  @SortParameter(['id', '-id'], {
    default: 'id',
    description:
      'Order of the list: `-id` is newest first. Keep it from page to page, as the `Link` header does.',
  })
  readonly sort?: Sort;
}
