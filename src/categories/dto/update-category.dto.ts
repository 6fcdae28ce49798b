import { ApiSchema, OmitType } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import {
  AtLeastOneProperty,
  type Int64,
  Int64Field,
  PatchType,
  Text,
  OptionalNotNull,
} from '../../platform/index.js';
import { CreateCategoryDto } from './create-category.dto.js';

/** A JSON merge patch (RFC 7396): absent properties do not change, and `null` removes the parent. */
@AtLeastOneProperty()
@ApiSchema({ name: 'CategoryChange' })
export class UpdateCategoryDto extends PatchType(OmitType(CreateCategoryDto, ['parentId'])) {
  @OptionalNotNull()
  @Text({
    max: 200,
    required: false,
    description: 'The name, unique regardless of case.',
    example: 'Lizards',
  })
  override readonly name?: string;

  @IsOptional()
  @Int64Field({
    required: false,
    nullable: true,
    description: 'The parent category, or `null` for the top level.',
  })
  readonly parentId?: Int64 | null;
}
