import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsEnum } from 'class-validator';
import { PageQuery } from '../../pagination/page.query.js';
import { OptionalNotNull } from '../../validation/property.decorators.js';
import { DeliveryState } from '../webhook-delivery.entity.js';

export class ListDeliveriesQuery extends PageQuery {
  @ApiPropertyOptional({
    enum: DeliveryState,
    enumName: 'DeliveryState',
    description: 'Return only deliveries in this state.',
  })
  @OptionalNotNull()
  @IsEnum(DeliveryState, { message: 'state must be one of pending, delivered, failed' })
  readonly state?: DeliveryState;
}
