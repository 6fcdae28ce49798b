import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { type Int64, Int64Property, TimeProperty } from '../../platform/index.js';
import { OrderStatus } from '../order-status.js';
import type { Order } from '../order.entity.js';

@ApiSchema({ name: 'Order' })
export class OrderResponse {
  @Int64Property({ description: 'Assigned by the service.', example: 1 })
  readonly id!: Int64;

  @Int64Property({ description: 'The pet that was ordered.', example: 42 })
  readonly petId!: Int64;

  @ApiProperty({
    type: 'integer',
    format: 'int32',
    minimum: 1,
    description: 'How many, at least one.',
    example: 1,
  })
  readonly quantity!: number;

  @ApiProperty({ enum: OrderStatus, enumName: 'OrderStatus', description: 'Status of the order.' })
  readonly status!: OrderStatus;

  @TimeProperty({ description: 'When it was placed (RFC 3339, UTC).', example: '2026-11-20T09:30:00.000Z' })
  readonly createdAt!: string;

  static from({ id, petId, quantity, status, createdAt }: Order): OrderResponse {
    return { id, petId, quantity, status, createdAt: createdAt.toISOString() };
  }
}
