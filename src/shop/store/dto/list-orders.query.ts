import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsEnum } from 'class-validator';
import { type Int64, Int64Parameter, OptionalNotNull, SortedPageQuery } from '../../../platform/index.js';
import { OrderStatus } from '../order-status.js';

export class ListOrdersQuery extends SortedPageQuery {
  @ApiPropertyOptional({
    enum: OrderStatus,
    enumName: 'OrderStatus',
    description: 'Return only orders with this status.',
  })
  @OptionalNotNull()
  @IsEnum(OrderStatus, { message: 'status must be one of placed, approved, delivered, cancelled' })
  readonly status?: OrderStatus;

  @Int64Parameter({ description: 'Return only orders for this pet.' })
  readonly petId?: Int64;
}
