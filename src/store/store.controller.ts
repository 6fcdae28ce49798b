import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { RequireScope } from '../auth/require-scope.decorator.js';
import { HideTryIt, Stability, Tag } from '../openapi/decorators/operation-marks.js';
import { PageQuery } from '../http/pagination/page-query.js';
import type { Page } from '../kernel/pagination/page.js';
import { Paged } from '../openapi/decorators/paged.decorator.js';
import { OrderResponse } from './dto/order.response.js';
import { StoreService } from './store.service.js';

@Tag('store', 'Orders')
@Controller({ path: 'store', version: '1' })
export class StoreController {
  constructor(private readonly store: StoreService) {}

  @Get('orders')
  @RequireScope('orders:read')
  @Stability('experimental')
  @HideTryIt()
  @ApiOperation({
    operationId: 'listOrders',
    summary: 'List orders',
    description: 'Orders in ascending order of `id`, in pages as animals are.',
  })
  @Paged(OrderResponse, { description: 'A page of orders.' })
  listOrders(@Query() query: PageQuery): Promise<Page<OrderResponse>> {
    return this.store.listOrders(query);
  }
}
