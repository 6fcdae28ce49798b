import {
  EnumField,
  type Int64,
  Int64Parameter,
  OptionalNotNull,
  SortedPageQuery,
} from '../../platform/index.js';
import { OrderStatus } from '../order-status.js';

export class ListOrdersQuery extends SortedPageQuery {
  @OptionalNotNull()
  @EnumField(OrderStatus, {
    name: 'OrderStatus',
    required: false,
    description: 'Return only orders with this status.',
  })
  readonly status?: OrderStatus;

  @Int64Parameter({ description: 'Return only orders for this pet.' })
  readonly petId?: Int64;
}
