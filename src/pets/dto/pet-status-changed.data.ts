import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { PetStatus } from '../pet-status.js';
import type { Pet } from '../pet.entity.js';
import { PetResponse } from './pet.response.js';

@ApiSchema({ name: 'PetStatusChanged' })
export class PetStatusChangedData extends PetResponse {
  @ApiProperty({ enum: PetStatus, enumName: 'PetStatus', description: 'The status before the change.' })
  readonly previousStatus!: PetStatus;

  static override from(pet: Pet, before: Pet = pet): PetStatusChangedData {
    return Object.assign(PetResponse.from(pet), { previousStatus: before.status });
  }
}
