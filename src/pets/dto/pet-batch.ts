import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { ObjectList } from '../../platform/index.js';
import { MAX_PETS } from '../pet-batch-size.js';
import { CreatePetDto } from './create-pet.dto.js';
import { PetResponse } from './pet.response.js';

@ApiSchema({ name: 'NewPetBatch' })
export class CreatePetsDto {
  @ObjectList(() => CreatePetDto, {
    max: MAX_PETS,
    isBoundElsewhere: true, // by the plan: PetBatchGuard
    description: 'The pets to add. How many depends on the plan of the key.',
    example: [
      { name: 'Rex', categoryId: 1 },
      { name: 'Bella', categoryId: 2, status: 'pending' },
    ],
  })
  readonly pets!: CreatePetDto[];
}

@ApiSchema({ name: 'PetBatch' })
export class PetsResponse {
  @ApiProperty({ type: [PetResponse], description: 'The pets that were added, in the order of the request.' })
  readonly pets!: PetResponse[];
}
