import { ApiSchema } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { AtLeastOneProperty, type Int64, Int64Field, Optional, Text } from '../../platform.js';

/** A JSON merge patch (RFC 7396): absent properties do not change, and `null` removes the parent. */
@AtLeastOneProperty()
@ApiSchema({ name: 'CategoryChange' })
export class UpdateCategoryDto {
  @Optional()
  @Text({
    max: 200,
    required: false,
    description: 'The name. No other category has it, in any case.',
    example: 'Dogs',
  })
  readonly name?: string;

  @IsOptional()
  @Int64Field({
    required: false,
    nullable: true,
    description: 'The category above it, or `null` for the top.',
    example: 1,
  })
  readonly parentId?: Int64 | null;
}
