import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsEnum } from 'class-validator';
import { PageQuery } from '../../http/pagination.js';
import { Optional } from '../../http/validation/property.decorators.js';
import { DeliveryState } from '../webhook-delivery.entity.js';

export class ListDeliveriesQuery extends PageQuery {
  @ApiPropertyOptional({
    enum: DeliveryState,
    enumName: 'DeliveryState',
    description: 'Return only deliveries in this state.',
  })
  @Optional()
  @IsEnum(DeliveryState, { message: 'state must be one of pending, delivered, failed' })
  readonly state?: DeliveryState;
}
