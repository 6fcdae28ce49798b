import { ApiProperty, ApiSchema } from '@nestjs/swagger';

const count = (description: string, example: number): PropertyDecorator =>
  ApiProperty({ type: 'integer', format: 'int64', minimum: 0, description, example });

@ApiSchema({ name: 'Inventory' })
export class InventoryResponse {
  @count('Pets that are offered for sale.', 210)
  readonly available!: number;

  @count('Pets that an open order holds, or that are otherwise reserved.', 12)
  readonly pending!: number;

  @count('Pets that were sold.', 8)
  readonly sold!: number;
}
