import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsEnum } from 'class-validator';
import { type Int64, Int64List, Optional, PageQuery } from '../../platform.js';
import { PetStatus } from '../pet-status.js';

export class ListPetsQuery extends PageQuery {
  @ApiPropertyOptional({
    enum: PetStatus,
    enumName: 'PetStatus',
    description: 'Only pets of this availability.',
  })
  @Optional()
  @IsEnum(PetStatus, { message: 'status must be one of available, pending, sold' })
  readonly status?: PetStatus;

  @Int64List({
    max: 100,
    description:
      'Only the pets with these identifiers, separated by commas; at most 100. A page of one has the `ETag` of its pet.',
  })
  readonly ids?: readonly Int64[];
}
