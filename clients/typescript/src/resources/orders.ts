import type { Listing } from '../listing.js';
import type { Query } from '../operations.js';
import type {
  ChangeOptions,
  ReadOptions,
  RequestOptions,
  Result,
  Transport,
  WriteOptions,
} from '../transport.js';
import type { NewOrder, Order } from '../types.js';

export type OrderQuery<Id = bigint> = Query<'listOrders', Id>;

/** Orders. */
export class Orders<Id = bigint> {
  constructor(private readonly transport: Transport<Id>) {}

  /** All orders in ascending order of `id`, or newest first with `sort: '-id'`. `limit` is the page size: 1 to 100, 20 by default. */
  list(query: OrderQuery<Id> = {}, options?: RequestOptions): Listing<Order<Id>> {
    return this.transport.list('listOrders', query, options);
  }

  /**
   * Orders a pet. Retries do not order it twice.
   * @throws ConflictError if the pet is not available
   */
  place(order: NewOrder<Id>, options?: WriteOptions): Promise<Result<Order<Id>>> {
    return this.transport.call('placeOrder', { body: order }, options);
  }

  /** @throws NotFoundError if the id is unknown */
  get(orderId: Id, options?: ReadOptions): Promise<Result<Order<Id>>> {
    return this.transport.call('getOrder', { path: { orderId } }, options);
  }

  /** @throws ConflictError if the order is not `placed` */
  approve(orderId: Id, options?: WriteOptions & ChangeOptions): Promise<Result<Order<Id>>> {
    return this.transport.call('approveOrder', { path: { orderId } }, options);
  }

  /** Its pet becomes `sold`. @throws ConflictError if the order is not `approved` */
  deliver(orderId: Id, options?: WriteOptions & ChangeOptions): Promise<Result<Order<Id>>> {
    return this.transport.call('deliverOrder', { path: { orderId } }, options);
  }

  /** Its pet becomes `available` again. @throws ConflictError if the order has ended */
  cancel(orderId: Id, options?: WriteOptions & ChangeOptions): Promise<Result<Order<Id>>> {
    return this.transport.call('cancelOrder', { path: { orderId } }, options);
  }
}
