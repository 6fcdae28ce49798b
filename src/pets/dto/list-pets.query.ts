import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsEnum } from 'class-validator';
import { PageQuery } from '../../http/pagination/page-query.js';
import { PetStatus } from '../pet-status.js';
import { Optional } from '../../http/validation/optional.decorator.js';

export class ListPetsQuery extends PageQuery {
  @ApiPropertyOptional({
    enum: PetStatus,
    enumName: 'PetStatus',
    description: 'Only animals of this availability.',
  })
  @Optional()
  @IsEnum(PetStatus, { message: 'status must be one of available, pending, sold' })
  readonly status?: PetStatus;
}
