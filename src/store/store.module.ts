import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EventsModule } from '../platform/index.js';
import { PetsModule } from '../pets/pets.module.js';
import { ORDER_APPROVED, ORDER_CANCELLED, ORDER_DELIVERED, ORDER_PLACED } from './order.events.js';
import { Order } from './order.entity.js';
import { InventoryController } from './inventory.controller.js';
import { StoreController } from './store.controller.js';
import { StoreService } from './store.service.js';
import { OrderSamples } from './order.samples.js';

@Module({
  imports: [TypeOrmModule.forFeature([Order]), PetsModule, EventsModule],
  controllers: [InventoryController, StoreController],
  providers: [StoreService, OrderSamples],
})
export class StoreModule {
  static readonly scopes = ['orders:read', 'orders:write'] as const;
  static readonly events = [ORDER_PLACED, ORDER_APPROVED, ORDER_DELIVERED, ORDER_CANCELLED];
}
