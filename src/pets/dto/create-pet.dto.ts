import { ApiSchema } from '@nestjs/swagger';
import { EnumField, type Int64, Int64Field, OptionalNotNull, Text } from '../../platform/index.js';
import { PetStatus } from '../pet-status.js';

@ApiSchema({ name: 'NewPet' })
export class CreatePetDto {
  @Text({ max: 200, description: "The pet's name.", example: 'Rex' })
  readonly name!: string;

  @Int64Field({ description: 'Identifier of the category the pet belongs to.', example: 1 })
  readonly categoryId!: Int64;

  @OptionalNotNull()
  @EnumField(PetStatus, {
    name: 'PetStatus',
    default: PetStatus.Available,
    description: 'Availability of the pet.',
  })
  readonly status: PetStatus = PetStatus.Available;
}
