import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsEnum } from 'class-validator';
import { Int64List } from '../../http/validation/int64-parameter.decorator.js';
import { PageQuery } from '../../http/pagination/page-query.js';
import type { Int64 } from '../../kernel/json/int64.js';
import { PetStatus } from '../pet-status.js';
import { Optional } from '../../http/validation/optional.decorator.js';

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
