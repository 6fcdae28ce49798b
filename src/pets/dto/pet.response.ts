import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { type Int64, Int64Property, pick } from '../../platform/index.js';
import { PetStatus } from '../pet-status.js';
import type { Pet } from '../pet.entity.js';

@ApiSchema({ name: 'Pet' })
export class PetResponse {
  @Int64Property({ description: 'Assigned by the service on creation.', example: 42 })
  readonly id!: Int64;

  @ApiProperty({ description: "The pet's name.", minLength: 1, maxLength: 200, example: 'Rex' })
  readonly name!: string;

  @Int64Property({ description: 'Identifier of the category the pet belongs to.', example: 1 })
  readonly categoryId!: Int64;

  @ApiProperty({ enum: PetStatus, enumName: 'PetStatus', description: 'Availability of the pet.' })
  readonly status!: PetStatus;

  static readonly from = pick<Pet, PetResponse>('id', 'name', 'categoryId', 'status');
}
