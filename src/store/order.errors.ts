import { DomainError } from '../kernel/errors/domain-error.js';
import type { Int64 } from '../kernel/json/int64.js';
import type { OrderStatus } from './order-status.js';

export class OrderNotFound extends DomainError {
  constructor(id: Int64 | string) {
    super('not_found', 'order_not_found', `There is no order with the id ${id}.`);
  }
}

export class InvalidOrderTransition extends DomainError {
  constructor(from: OrderStatus, to: OrderStatus) {
    super('conflict', 'invalid_order_transition', `An order that is ${from} cannot become ${to}.`);
  }
}
