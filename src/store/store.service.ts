import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { keysetPage } from '../database/pagination/keyset.js';
import type { PageQuery } from '../http/pagination/page-query.js';
import type { Page } from '../kernel/pagination/page.js';
import { OrderResponse } from './dto/order.response.js';
import { Order } from './order.entity.js';

@Injectable()
export class StoreService {
  constructor(@InjectRepository(Order) private readonly orders: Repository<Order>) {}

  async listOrders(query: PageQuery): Promise<Page<OrderResponse>> {
    const page = await keysetPage(this.orders, query);
    return page.map((order) => OrderResponse.from(order));
  }
}
