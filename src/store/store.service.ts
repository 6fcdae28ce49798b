import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type FindOneOptions, Repository } from 'typeorm';
import {
  type Changes,
  Clock,
  type EventType,
  findById,
  IfMatchCondition,
  type Int64,
  keysetPage,
  type Page,
} from '../platform/index.js';
import { PetReservationsService } from '../pets/pet-reservations.service.js';
import type { ListOrdersQuery } from './dto/list-orders.query.js';
import { OrderResponse } from './dto/order.response.js';
import type { PlaceOrderDto } from './dto/place-order.dto.js';
import { canBecome, OrderStatus } from './order-status.js';
import { Order } from './order.entity.js';
import { InvalidOrderTransition, OrderNotFound } from './order.errors.js';
import { ORDER_APPROVED, ORDER_CANCELLED, ORDER_DELIVERED, ORDER_PLACED } from './order.events.js';

/** Changes an order and the hold on its pet in one transaction, which locks the pet before the order. */
@Injectable()
export class StoreService {
  constructor(
    @InjectRepository(Order) private readonly orders: Repository<Order>,
    private readonly reservations: PetReservationsService,
    private readonly clock: Clock,
  ) {}

  async list(query: ListOrdersQuery): Promise<Page<OrderResponse>> {
    const { status, petId } = query;
    const page = await keysetPage(this.orders, query, { status, petId });
    return page.map((order) => OrderResponse.from(order));
  }

  /** @throws OrderNotFound */
  async get(id: Int64): Promise<OrderResponse> {
    return OrderResponse.from(await find(this.orders, id));
  }

  /** @throws PetNotFound, PetNotAvailable */
  place({ petId }: PlaceOrderDto, changes: Changes): Promise<OrderResponse> {
    return changes.transaction(async (changes) => {
      await this.reservations.reserve(changes, petId);
      const createdAt = new Date(this.clock.now());
      const order = { petId, quantity: 1, status: OrderStatus.Placed, createdAt };
      return OrderResponse.from(await changes.insert(Order, order, ORDER_PLACED));
    });
  }

  /** @throws OrderNotFound, PreconditionFailed, InvalidOrderTransition */
  approve(id: Int64, changes: Changes, condition = IfMatchCondition.any): Promise<OrderResponse> {
    return this.advance(id, changes, condition, OrderStatus.Approved, ORDER_APPROVED);
  }

  /** @throws OrderNotFound, PreconditionFailed, InvalidOrderTransition */
  deliver(id: Int64, changes: Changes, condition = IfMatchCondition.any): Promise<OrderResponse> {
    return this.advance(id, changes, condition, OrderStatus.Delivered, ORDER_DELIVERED, (changes, petId) =>
      this.reservations.sell(changes, petId),
    );
  }

  /** @throws OrderNotFound, PreconditionFailed, InvalidOrderTransition */
  cancel(id: Int64, changes: Changes, condition = IfMatchCondition.any): Promise<OrderResponse> {
    return this.advance(id, changes, condition, OrderStatus.Cancelled, ORDER_CANCELLED, (changes, petId) =>
      this.reservations.release(changes, petId),
    );
  }

  /**
   * @param endReservation ends the hold on the pet; rolled back if the order does not allow the transition or
   * meet the condition
   */
  private async advance(
    id: Int64,
    changes: Changes,
    condition: IfMatchCondition,
    status: OrderStatus,
    event: EventType<Order>,
    endReservation?: (changes: Changes, petId: Int64) => Promise<void>,
  ): Promise<OrderResponse> {
    const { petId } = await find(changes.manager.getRepository(Order), id); // the pet of an order never changes
    return changes.transaction(async (changes) => {
      await endReservation?.(changes, petId);
      const order = await lockOrder(changes, id);
      condition.check(OrderResponse.from(order));
      if (!canBecome(order.status, status)) throw new InvalidOrderTransition(order.status, status);
      return OrderResponse.from(await changes.update(Order, order, { status }, event));
    });
  }
}

/** @throws OrderNotFound */
async function find(
  orders: Repository<Order>,
  id: Int64,
  options?: Pick<FindOneOptions<Order>, 'lock'>,
): Promise<Order> {
  const order = await findById(orders, id, options);
  if (!order) throw new OrderNotFound(id);
  return order;
}

const lockOrder = ({ manager }: Changes, id: Int64): Promise<Order> =>
  find(manager.getRepository(Order), id, { lock: { mode: 'pessimistic_write' } });
