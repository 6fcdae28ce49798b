import type { Listing } from '../listing.js';
import type { Query } from '../operations.js';
import type { RequestOptions, Transport } from '../transport.js';
import type { Order } from '../types.js';

export type OrderQuery = Query<'listOrders'>;

/** Orders. Experimental: they may change or go without notice. */
export class Orders {
  constructor(private readonly transport: Transport) {}

  /** Every order once, in ascending order of `id`. `limit` is the size of a page: 1 to 100, 20 unless given. */
  list(query: OrderQuery = {}, options?: RequestOptions): Listing<Order> {
    return this.transport.list('listOrders', query, options);
  }
}
