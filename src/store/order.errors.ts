import { DomainError, type Int64 } from '../platform/index.js';
import type { OrderStatus } from './order-status.js';

export class OrderNotFound extends DomainError {
  static override readonly help = {
    meaning: 'No order has this id. An id that is not a number gets the same error.',
    action: 'Do not repeat the request.',
  };

  constructor(id: Int64 | string) {
    super('not_found', 'order_not_found', `There is no order with the id ${id}.`);
  }
}

export class InvalidOrderTransition extends DomainError {
  static override readonly help = {
    meaning: 'The status of the order does not allow this action.',
    action: 'Read the order again, then decide.',
  };

  constructor(from: OrderStatus, to: OrderStatus) {
    super('conflict', 'invalid_order_transition', `An order that is ${from} cannot become ${to}.`);
  }
}
