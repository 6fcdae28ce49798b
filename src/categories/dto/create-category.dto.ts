import { ApiSchema } from '@nestjs/swagger';
import { type Int64, Int64Field, OptionalNotNull, Text } from '../../platform/index.js';

@ApiSchema({ name: 'NewCategory' })
export class CreateCategoryDto {
  @Text({
    max: 200,
    description: 'The name, unique regardless of case. To try it again, take another one.',
    example: 'Terriers',
  })
  readonly name!: string;

  @OptionalNotNull()
  @Int64Field({ required: false, description: 'The parent category.', example: 1 })
  readonly parentId?: Int64;
}
