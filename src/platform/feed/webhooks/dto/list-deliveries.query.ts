import { PageQuery } from '../../../http/pagination/page.query.js';
import { EnumField, OptionalNotNull } from '../../../http/validation/property.decorators.js';
import { DeliveryState } from '../webhook-delivery.entity.js';

export class ListDeliveriesQuery extends PageQuery {
  @OptionalNotNull()
  @EnumField(DeliveryState, {
    name: 'DeliveryState',
    required: false,
    description: 'Return only deliveries in this state.',
  })
  readonly state?: DeliveryState;
}
