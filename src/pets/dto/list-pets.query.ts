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
      'Return only the pets with these ids: at most 100, separated by commas. With a single id, the response has ' +
      'the `ETag` of that pet.',
  })
  readonly ids?: readonly Int64[];
}
