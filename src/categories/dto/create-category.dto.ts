import { ApiSchema } from '@nestjs/swagger';
import { Int64Field } from '../../http/validation/int64.decorator.js';
import { Optional } from '../../http/validation/optional.decorator.js';
import { Text } from '../../http/validation/text.decorator.js';
import type { Int64 } from '../../kernel/json/int64.js';

@ApiSchema({ name: 'NewCategory' })
export class CreateCategoryDto {
  @Text({ max: 200, description: 'The name. No other category has it, in any case.', example: 'Dogs' })
  readonly name!: string;

  @Optional()
  @Int64Field({ required: false, description: 'The category above it.', example: 1 })
  readonly parentId?: Int64;
}
