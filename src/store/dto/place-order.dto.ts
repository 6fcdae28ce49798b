import { ApiSchema } from '@nestjs/swagger';
import { Int64Field } from '../../http/validation/int64.decorator.js';
import type { Int64 } from '../../kernel/json/int64.js';

@ApiSchema({ name: 'NewOrder' })
export class PlaceOrderDto {
  @Int64Field({ description: 'The pet to order. It has to be available.', example: 42 })
  readonly petId!: Int64;
}
