import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import {
  ApiErrors,
  Changed,
  Changes,
  Created,
  HideTryIt,
  Id,
  Idempotent,
  IfMatch,
  type IfMatchCondition,
  type Int64,
  type Page,
  Paged,
  RequireScope,
  Stability,
  Tag,
  UnitOfWork,
} from '../platform/index.js';
import { PetNotAvailable, PetNotFound } from '../pets/pet.errors.js';
import { ListOrdersQuery } from './dto/list-orders.query.js';
import { OrderResponse } from './dto/order.response.js';
import { PlaceOrderDto } from './dto/place-order.dto.js';
import { OrderStatus } from './order-status.js';
import { InvalidOrderTransition, OrderNotFound } from './order.errors.js';
import { StoreService } from './store.service.js';

@Tag('store', 'Orders')
@Controller({ path: 'store/orders', version: '1' })
export class StoreController {
  constructor(private readonly store: StoreService) {}

  @Get()
  @RequireScope('orders:read')
  @Stability('experimental')
  @HideTryIt()
  @ApiOperation({
    operationId: 'listOrders',
    summary: 'List orders',
    description:
      'Returns orders in ascending order of `id`, or newest first with `sort=-id`. Follow the `Link` header to visit every order exactly once.',
  })
  @Paged(OrderResponse, { description: 'A page of orders.' })
  list(@Query() query: ListOrdersQuery): Promise<Page<OrderResponse>> {
    return this.store.list(query);
  }

  @Post()
  @RequireScope('orders:write')
  @Idempotent()
  @ApiOperation({
    operationId: 'placeOrder',
    summary: 'Place an order',
    description:
      'Orders an available pet. The pet becomes `pending` and is held until the order is delivered or cancelled.',
  })
  @Created(OrderResponse)
  @ApiErrors(new PetNotFound('4711'), new PetNotAvailable('4711'))
  place(@Body() newOrder: PlaceOrderDto, @UnitOfWork() changes: Changes): Promise<OrderResponse> {
    return this.store.place(newOrder, changes);
  }

  @Get(':orderId')
  @RequireScope('orders:read')
  @ApiOperation({
    operationId: 'getOrder',
    summary: 'Get an order',
    description: 'The order with this `id`.',
  })
  @ApiOkResponse({ type: OrderResponse, description: 'The order.' })
  get(@Id('orderId', OrderNotFound) id: Int64): Promise<OrderResponse> {
    return this.store.get(id);
  }

  @Post(':orderId/approve')
  @RequireScope('orders:write')
  @Idempotent()
  @ApiOperation({
    operationId: 'approveOrder',
    summary: 'Approve an order',
    description: 'The order must be `placed`.',
  })
  @Changed(OrderResponse, { description: 'The approved order.' })
  @ApiErrors(new InvalidOrderTransition(OrderStatus.Cancelled, OrderStatus.Approved))
  approve(
    @Id('orderId', OrderNotFound, {
      note: 'To try it again, take one from the list of orders that is placed.',
    })
    id: Int64,
    @IfMatch() condition: IfMatchCondition,
    @UnitOfWork() changes: Changes,
  ): Promise<OrderResponse> {
    return this.store.approve(id, changes, condition);
  }

  @Post(':orderId/deliver')
  @RequireScope('orders:write')
  @Idempotent()
  @ApiOperation({
    operationId: 'deliverOrder',
    summary: 'Deliver an order',
    description: 'The order must be `approved`. Its pet becomes `sold`.',
  })
  @Changed(OrderResponse, { description: 'The delivered order.' })
  @ApiErrors(new InvalidOrderTransition(OrderStatus.Placed, OrderStatus.Delivered))
  deliver(
    @Id('orderId', OrderNotFound, {
      example: 2,
      note: 'To try it again, take one from the list of orders that is approved.',
    })
    id: Int64,
    @IfMatch() condition: IfMatchCondition,
    @UnitOfWork() changes: Changes,
  ): Promise<OrderResponse> {
    return this.store.deliver(id, changes, condition);
  }

  @Post(':orderId/cancel')
  @RequireScope('orders:write')
  @Idempotent()
  @ApiOperation({
    operationId: 'cancelOrder',
    summary: 'Cancel an order',
    description: 'The order must be `placed` or `approved`. Its pet becomes `available` again.',
  })
  @Changed(OrderResponse, { description: 'The cancelled order.' })
  @ApiErrors(new InvalidOrderTransition(OrderStatus.Delivered, OrderStatus.Cancelled))
  cancel(
    @Id('orderId', OrderNotFound, {
      example: 5,
      note: 'To try it again, take one from the list of orders that is placed.',
    })
    id: Int64,
    @IfMatch() condition: IfMatchCondition,
    @UnitOfWork() changes: Changes,
  ): Promise<OrderResponse> {
    return this.store.cancel(id, changes, condition);
  }
}
