import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import {
  AtLeastOneProperty,
  EnumField,
  type Int64,
  Int64Field,
  Int64List,
  OptionalNotNull,
  PageQuery,
  pick,
  Text,
} from '../../src/platform/index.js';
import { type Item, ItemStatus } from './item.entity.js';

@ApiSchema({ name: 'NewItem' })
export class CreateItemDto {
  @Text({ max: 200, description: 'The name.', example: 'Rex' })
  readonly name!: string;

  @Int64Field({ description: 'A number of 64 bits.', example: 7 })
  readonly amount!: Int64;

  @OptionalNotNull()
  @EnumField(ItemStatus, { name: 'ItemStatus', default: ItemStatus.Open })
  readonly status: ItemStatus = ItemStatus.Open;
}

@AtLeastOneProperty()
@ApiSchema({ name: 'ItemChange' })
export class UpdateItemDto {
  @OptionalNotNull()
  @Text({ max: 200, required: false, description: 'The name.', example: 'Rex' })
  readonly name?: string;

  @OptionalNotNull()
  @Int64Field({ required: false, description: 'A number of 64 bits.', example: 7 })
  readonly amount?: Int64;

  @OptionalNotNull()
  @EnumField(ItemStatus, { name: 'ItemStatus', required: false })
  readonly status?: ItemStatus;
}

export class ListItemsQuery extends PageQuery {
  @OptionalNotNull()
  @EnumField(ItemStatus, { name: 'ItemStatus', required: false })
  readonly status?: ItemStatus;

  @Int64List({ max: 100, description: 'Only items with these ids.' })
  readonly ids?: readonly Int64[];
}

@ApiSchema({ name: 'Item' })
export class ItemResponse {
  @ApiProperty({ type: 'integer', format: 'int64', example: 42 })
  readonly id!: Int64;

  @ApiProperty({ example: 'Rex' })
  readonly name!: string;

  @ApiProperty({ type: 'integer', format: 'int64', example: 7 })
  readonly amount!: Int64;

  @ApiProperty({ enum: ItemStatus, enumName: 'ItemStatus' })
  readonly status!: ItemStatus;

  static readonly from = pick<Item, ItemResponse>('id', 'name', 'amount', 'status');
}
