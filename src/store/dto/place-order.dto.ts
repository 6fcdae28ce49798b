import { ApiSchema } from '@nestjs/swagger';
import { type Int64, Int64Field } from '../../platform/index.js';

@ApiSchema({ name: 'NewOrder' })
export class PlaceOrderDto {
  @Int64Field({
    description:
      'The pet to order. It must be available. To try it again, take one from the list of pets that is.',
    example: 18,
  })
  readonly petId!: Int64;
}
