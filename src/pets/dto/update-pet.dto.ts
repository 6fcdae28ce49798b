import { ApiSchema } from '@nestjs/swagger';
import { AtLeastOneProperty, EnumField, OptionalNotNull, PatchType } from '../../platform/index.js';
import { PetStatus } from '../pet-status.js';
import { CreatePetDto } from './create-pet.dto.js';

/** A JSON merge patch (RFC 7396): absent properties do not change. No property of a pet can be removed. */
@AtLeastOneProperty()
@ApiSchema({ name: 'PetChange' })
export class UpdatePetDto extends PatchType(CreatePetDto) {
  @OptionalNotNull()
  @EnumField(PetStatus, {
    name: 'PetStatus',
    required: false,
    description: 'From `available` to `pending` or `sold`, and from `pending` to `available` or `sold`.',
    example: PetStatus.Pending,
  })
  override readonly status?: PetStatus;
}
