import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import {
  ClientMethod,
  ApiErrors,
  Created,
  HideTryIt,
  Id,
  Idempotent,
  type Int64,
  type Page,
  Paged,
  RequireScope,
  Stability,
  Tag,
} from '../platform.js';
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
  @ClientMethod('orders.list')
  @ApiOperation({
    operationId: 'listOrders',
    summary: 'List orders',
    description:
      'Returns orders in ascending order of `id`. Follow the `Link` header to visit every order exactly once.',
  })
  @Paged(OrderResponse, { description: 'A page of orders.' })
  list(@Query() query: ListOrdersQuery): Promise<Page<OrderResponse>> {
    return this.store.list(query);
  }

  @Post()
  @RequireScope('orders:write')
  @Idempotent()
  @ClientMethod('orders.place')
  @ApiOperation({
    operationId: 'placeOrder',
    summary: 'Place an order',
    description:
      'Orders an available pet. The pet becomes `pending` and is held until the order is delivered or cancelled.',
  })
  @Created(OrderResponse)
  @ApiErrors(new PetNotFound('4711'), new PetNotAvailable('4711'))
  place(@Body() newOrder: PlaceOrderDto): Promise<OrderResponse> {
    return this.store.place(newOrder);
  }

  @Get(':orderId')
  @RequireScope('orders:read')
  @ClientMethod('orders.get')
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
  @HttpCode(200)
  @RequireScope('orders:write')
  @Idempotent()
  @ClientMethod('orders.approve')
  @ApiOperation({
    operationId: 'approveOrder',
    summary: 'Approve an order',
    description: 'The order must be `placed`.',
  })
  @ApiOkResponse({ type: OrderResponse, description: 'The approved order.' })
  @ApiErrors(new InvalidOrderTransition(OrderStatus.Cancelled, OrderStatus.Approved))
  approve(@Id('orderId', OrderNotFound) id: Int64): Promise<OrderResponse> {
    return this.store.approve(id);
  }

  @Post(':orderId/deliver')
  @HttpCode(200)
  @RequireScope('orders:write')
  @Idempotent()
  @ClientMethod('orders.deliver')
  @ApiOperation({
    operationId: 'deliverOrder',
    summary: 'Deliver an order',
    description: 'The order must be `approved`. Its pet becomes `sold`.',
  })
  @ApiOkResponse({ type: OrderResponse, description: 'The delivered order.' })
  @ApiErrors(new InvalidOrderTransition(OrderStatus.Placed, OrderStatus.Delivered))
  deliver(@Id('orderId', OrderNotFound) id: Int64): Promise<OrderResponse> {
    return this.store.deliver(id);
  }

  @Post(':orderId/cancel')
  @HttpCode(200)
  @RequireScope('orders:write')
  @Idempotent()
  @ClientMethod('orders.cancel')
  @ApiOperation({
    operationId: 'cancelOrder',
    summary: 'Cancel an order',
    description: 'The order must be `placed` or `approved`. Its pet becomes `available` again.',
  })
  @ApiOkResponse({ type: OrderResponse, description: 'The cancelled order.' })
  @ApiErrors(new InvalidOrderTransition(OrderStatus.Delivered, OrderStatus.Cancelled))
  cancel(@Id('orderId', OrderNotFound) id: Int64): Promise<OrderResponse> {
    return this.store.cancel(id);
  }
}
