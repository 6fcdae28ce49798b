import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { type Int64, Int64Property } from '../../platform/index.js';
import type { Category } from '../category.entity.js';

@ApiSchema({ name: 'Category' })
export class CategoryResponse {
  @Int64Property({ description: 'Assigned by the service on creation.', example: 2 })
  readonly id!: Int64;

  @ApiProperty({ description: 'The name of the category.', minLength: 1, maxLength: 200, example: 'Dogs' })
  readonly name!: string;

  @ApiPropertyOptional({
    type: 'integer',
    format: 'int64',
    description: 'The parent category. Absent at the top level.',
    example: 1,
  })
  readonly parentId?: Int64;

  static from({ id, name, parentId }: Category): CategoryResponse {
    return parentId === null ? { id, name } : { id, name, parentId };
  }
}
