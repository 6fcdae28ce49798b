import { ApiSchema } from '@nestjs/swagger';
import {
  AtLeastOneProperty,
  EnumField,
  type Int64,
  Int64Field,
  OptionalNotNull,
  Text,
} from '../../../platform/index.js';
import { PetStatus } from '../pet-status.js';

/** A JSON merge patch (RFC 7396): absent properties do not change. No property of a pet can be removed. */
@AtLeastOneProperty()
@ApiSchema({ name: 'PetChange' })
export class UpdatePetDto {
  @OptionalNotNull()
  @Text({ max: 200, required: false, description: "The pet's name.", example: 'Rex' })
  readonly name?: string;

  @OptionalNotNull()
  @Int64Field({
    required: false,
    description: 'Identifier of the category the pet belongs to.',
    example: 1,
  })
  readonly categoryId?: Int64;

  @OptionalNotNull()
  @EnumField(PetStatus, {
    name: 'PetStatus',
    required: false,
    description: 'From `available` to `pending` or `sold`, and from `pending` to `available` or `sold`.',
    example: PetStatus.Pending,
  })
  readonly status?: PetStatus;
}
