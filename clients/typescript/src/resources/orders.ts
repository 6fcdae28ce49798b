import type { Listing } from '../listing.js';
import type { Query } from '../operations.js';
import type { ReadOptions, RequestOptions, Transport, WriteOptions } from '../transport.js';
import type { NewOrder, Order } from '../types.js';

export type OrderQuery = Query<'listOrders'>;

/** Orders. */
export class Orders {
  constructor(private readonly transport: Transport) {}

  /** Every order once, in ascending order of `id`. `limit` is the size of a page: 1 to 100, 20 unless given. */
  list(query: OrderQuery = {}, options?: RequestOptions): Listing<Order> {
    return this.transport.list('listOrders', query, options);
  }

  /**
   * Orders a pet, once however often that has to be tried.
   * @throws ConflictError if the pet is not available
   */
  place(order: NewOrder, options?: WriteOptions): Promise<Order> {
    return this.transport.call('placeOrder', { body: order }, options);
  }

  /** @throws NotFoundError if the id is unknown */
  get(orderId: bigint, options?: ReadOptions): Promise<Order> {
    return this.transport.call('getOrder', { path: { orderId } }, options);
  }

  /** @throws ConflictError if the order is not `placed` */
  approve(orderId: bigint, options?: WriteOptions): Promise<Order> {
    return this.transport.call('approveOrder', { path: { orderId } }, options);
  }

  /** Its pet becomes `sold`. @throws ConflictError if the order is not `approved` */
  deliver(orderId: bigint, options?: WriteOptions): Promise<Order> {
    return this.transport.call('deliverOrder', { path: { orderId } }, options);
  }

  /** Its pet becomes `available` again. @throws ConflictError if the order has ended */
  cancel(orderId: bigint, options?: WriteOptions): Promise<Order> {
    return this.transport.call('cancelOrder', { path: { orderId } }, options);
  }
}
