import { OmitType } from '@nestjs/swagger';
import {
  EnumField,
  type Int64,
  Int64List,
  Int64Parameter,
  NotWith,
  OptionalNotNull,
  SortedPageQuery,
  SortParameter,
  Text,
} from '../../platform/index.js';
import { PetStatus } from '../pet-status.js';

/** A page of pets, of all or of one status. */
export class PetsPageQuery extends SortedPageQuery {
  @OptionalNotNull()
  @EnumField(PetStatus, {
    name: 'PetStatus',
    required: false,
    description: 'Only pets of this availability.',
  })
  readonly status?: PetStatus;
}

const SORTS = ['id', '-id', 'name', '-name'] as const;
export type PetSort = (typeof SORTS)[number];

/** What would need an index that the table does not have, or two orders at once. */
const notWith = NotWith<ListPetsQuery>;

export class ListPetsQuery extends OmitType(PetsPageQuery, ['sort']) {
  @SortParameter(SORTS, {
    description:
      'Order of the list: `-id` is newest first; `name` and `-name` sort by name, regardless of case, and then by `id`. Keep it from ' +
      'page to page, as the `Link` header does. With `namePrefix` the default is `name`.',
  })
  @notWith(
    ({ sort, namePrefix }) => namePrefix !== undefined && (sort === 'id' || sort === '-id'),
    'sort must be name or -name with namePrefix',
  )
  @notWith(
    ({ sort, categoryId }) => categoryId !== undefined && (sort === 'name' || sort === '-name'),
    'sort must be id or -id with categoryId',
  )
  readonly sort?: PetSort;

  @OptionalNotNull()
  @Text({
    min: 0,
    max: 200,
    required: false,
    mayBeBlank: true,
    description:
      'Only pets whose name begins with this, regardless of case and Unicode normal form, sorted by name. Every name begins with an ' +
      'empty text. Not with `ids` or `categoryId`.',
    example: 'Rex',
  })
  @notWith(
    ({ ids, categoryId }) => ids !== undefined || categoryId !== undefined,
    'namePrefix cannot be combined with ids or categoryId',
  )
  readonly namePrefix?: string;

  @Int64Parameter({
    hasExample: false,
    description: 'Only pets of this category, even if it has been removed.',
  })
  readonly categoryId?: Int64;

  @Int64List({
    max: 100,
    hasExample: false,
    description:
      'Return only the pets with these ids, at most 100: `ids=1&ids=2` or `ids=1,2`. With a single id, the response has ' +
      'the `ETag` of that pet.',
  })
  readonly ids?: readonly Int64[];
}
