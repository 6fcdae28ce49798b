import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsEnum } from 'class-validator';
import { PageQuery } from '../../http/pagination/page-query.js';
import { Int64Parameter } from '../../http/validation/int64-parameter.decorator.js';
import { Optional } from '../../http/validation/optional.decorator.js';
import type { Int64 } from '../../kernel/json/int64.js';
import { OrderStatus } from '../order-status.js';

export class ListOrdersQuery extends PageQuery {
  @ApiPropertyOptional({
    enum: OrderStatus,
    enumName: 'OrderStatus',
    description: 'Only orders that have come this far.',
  })
  @Optional()
  @IsEnum(OrderStatus, { message: 'status must be one of placed, approved, delivered, cancelled' })
  readonly status?: OrderStatus;

  @Int64Parameter({ description: 'Only orders for this pet.' })
  readonly petId?: Int64;
}
