import { ApiSchema } from '@nestjs/swagger';
import { type Int64, Int64Field, Optional, Text } from '../../platform.js';

@ApiSchema({ name: 'NewCategory' })
export class CreateCategoryDto {
  @Text({ max: 200, description: 'The name. No other category has it, in any case.', example: 'Dogs' })
  readonly name!: string;

  @Optional()
  @Int64Field({ required: false, description: 'The category above it.', example: 1 })
  readonly parentId?: Int64;
}
