import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam } from '@nestjs/swagger';
import type { Response } from 'express';
import { RequireScope } from '../auth/require-scope.decorator.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import type { Page } from '../kernel/pagination/page.js';
import { ApiErrors } from '../openapi/decorators/api-errors.decorator.js';
import { HideTryIt, Stability, Tag } from '../openapi/decorators/operation-marks.js';
import { Paged } from '../openapi/decorators/paged.decorator.js';
import { LOCATION_HEADER } from '../openapi/decorators/api-headers.decorator.js';
import { PetNotAvailable, PetNotFound } from '../pets/pet.errors.js';
import { ListOrdersQuery } from './dto/list-orders.query.js';
import { OrderResponse } from './dto/order.response.js';
import { PlaceOrderDto } from './dto/place-order.dto.js';
import { OrderStatus } from './order-status.js';
import { InvalidOrderTransition, OrderNotFound } from './order.errors.js';
import { StoreService } from './store.service.js';

const ORDER_ID = {
  name: 'orderId',
  schema: { type: 'integer', format: 'int64', example: 1 },
  description: 'Identifier of the order.',
} as const;

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
    description: 'Orders in ascending order of `id`, in pages as pets are.',
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
      'Orders an available pet, which becomes `pending`. The order holds it until it is delivered or cancelled.',
  })
  @ApiCreatedResponse({ type: OrderResponse, description: 'The placed order.', headers: LOCATION_HEADER })
  @ApiErrors(new PetNotFound('4711'), new PetNotAvailable('4711'))
  async place(
    @Body() newOrder: PlaceOrderDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<OrderResponse> {
    const order = await this.store.place(newOrder);
    response.location(`/v1/store/orders/${order.id}`);
    return order;
  }

  @Get(':orderId')
  @RequireScope('orders:read')
  @ApiOperation({
    operationId: 'getOrder',
    summary: 'Get an order',
    description: 'The order with this `id`.',
  })
  @ApiParam(ORDER_ID)
  @ApiOkResponse({ type: OrderResponse, description: 'The order.' })
  @ApiErrors(new OrderNotFound('4711'))
  get(@Param('orderId') orderId: string): Promise<OrderResponse> {
    return this.store.get(orderId);
  }

  @Post(':orderId/approve')
  @HttpCode(200)
  @RequireScope('orders:write')
  @Idempotent()
  @ApiOperation({
    operationId: 'approveOrder',
    summary: 'Approve an order',
    description: 'It must be `placed`.',
  })
  @ApiParam(ORDER_ID)
  @ApiOkResponse({ type: OrderResponse, description: 'The approved order.' })
  @ApiErrors(
    new OrderNotFound('4711'),
    new InvalidOrderTransition(OrderStatus.Cancelled, OrderStatus.Approved),
  )
  approve(@Param('orderId') orderId: string): Promise<OrderResponse> {
    return this.store.approve(orderId);
  }

  @Post(':orderId/deliver')
  @HttpCode(200)
  @RequireScope('orders:write')
  @Idempotent()
  @ApiOperation({
    operationId: 'deliverOrder',
    summary: 'Deliver an order',
    description: 'It must be `approved`. Its pet becomes `sold`.',
  })
  @ApiParam(ORDER_ID)
  @ApiOkResponse({ type: OrderResponse, description: 'The delivered order.' })
  @ApiErrors(new OrderNotFound('4711'), new InvalidOrderTransition(OrderStatus.Placed, OrderStatus.Delivered))
  deliver(@Param('orderId') orderId: string): Promise<OrderResponse> {
    return this.store.deliver(orderId);
  }

  @Post(':orderId/cancel')
  @HttpCode(200)
  @RequireScope('orders:write')
  @Idempotent()
  @ApiOperation({
    operationId: 'cancelOrder',
    summary: 'Cancel an order',
    description: 'It must be `placed` or `approved`. Its pet becomes `available` again.',
  })
  @ApiParam(ORDER_ID)
  @ApiOkResponse({ type: OrderResponse, description: 'The cancelled order.' })
  @ApiErrors(
    new OrderNotFound('4711'),
    new InvalidOrderTransition(OrderStatus.Delivered, OrderStatus.Cancelled),
  )
  cancel(@Param('orderId') orderId: string): Promise<OrderResponse> {
    return this.store.cancel(orderId);
  }
}
