import { ApiSchema } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import {
  AtLeastOneProperty,
  type Int64,
  Int64Field,
  OptionalNotNull,
  Text,
} from '../../../platform/index.js';

/** A JSON merge patch (RFC 7396): absent properties do not change, and `null` removes the parent. */
@AtLeastOneProperty()
@ApiSchema({ name: 'CategoryChange' })
export class UpdateCategoryDto {
  @OptionalNotNull()
  @Text({
    max: 200,
    required: false,
    description: 'The name, unique regardless of case.',
    example: 'Lizards',
  })
  readonly name?: string;

  @IsOptional()
  @Int64Field({
    required: false,
    nullable: true,
    description: 'The parent category, or `null` for the top level.',
  })
  readonly parentId?: Int64 | null;
}
