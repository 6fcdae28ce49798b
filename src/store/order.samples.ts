import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { Changes, SampleData, type Samples } from '../platform/index.js';
import { PetsService } from '../pets/pets.service.js';
import { Order } from './order.entity.js';
import { StoreService } from './store.service.js';

const COUNT = 8;

/** Two orders of each status. Open orders hold their pets. */
@SampleData()
@Injectable()
export class OrderSamples implements Samples {
  constructor(
    @InjectRepository(Order) private readonly table: Repository<Order>,
    private readonly pets: PetsService,
    private readonly store: StoreService,
    private readonly changes: Changes,
  ) {}

  async add(): Promise<void> {
    if (await this.table.exists()) return;
    const page = await this.pets.list({ limit: 100 });
    const available = page.filter(({ status }) => (status as string) === 'available');
    for (const [i, { id: petId }] of available.slice(0, COUNT).entries()) {
      const { id } = await this.store.place({ petId }, this.changes);
      if (i % 4 === 1) await this.store.approve(id, this.changes);
      if (i % 4 === 2) await this.store.cancel(id, this.changes);
      if (i % 4 === 3) {
        await this.store.approve(id, this.changes);
        await this.store.deliver(id, this.changes);
      }
    }
  }
}
