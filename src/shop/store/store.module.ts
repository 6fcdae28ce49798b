import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EventsModule } from '../../platform/index.js';
import { PetsModule } from '../pets/pets.module.js';
import { Order } from './order.entity.js';
import { StoreController } from './store.controller.js';
import { StoreService } from './store.service.js';
import { OrderSamples } from './order.samples.js';

@Module({
  imports: [TypeOrmModule.forFeature([Order]), PetsModule, EventsModule],
  controllers: [StoreController],
  providers: [StoreService, OrderSamples],
})
export class StoreModule {}
