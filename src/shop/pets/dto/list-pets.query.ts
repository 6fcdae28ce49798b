import {
  EnumField,
  type Int64,
  Int64List,
  Int64Parameter,
  OptionalNotNull,
  SortedPageQuery,
} from '../../../platform/index.js';
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

export class ListPetsQuery extends PetsPageQuery {
  @Int64Parameter({ description: 'Only pets of this category, also of one that has been removed.' })
  readonly categoryId?: Int64;

  @Int64List({
    max: 100,
    description:
      'Return only the pets with these ids, at most 100: `ids=1&ids=2` or `ids=1,2`. With a single id, the response has ' +
      'the `ETag` of that pet.',
  })
  readonly ids?: readonly Int64[];
}
