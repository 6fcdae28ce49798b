import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Order } from './order.entity.js';
import { StoreController } from './store.controller.js';
import { StoreService } from './store.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([Order])],
  controllers: [StoreController],
  providers: [StoreService],
})
export class StoreModule {}
