import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { Changes, SampleData, type Samples } from '../platform/index.js';
import { CategoriesService } from './categories.service.js';
import { Category } from './category.entity.js';

const NAMES = ['Dogs', 'Cats', 'Birds', 'Fish', 'Reptiles'];

@SampleData()
@Injectable()
export class CategorySamples implements Samples {
  constructor(
    @InjectRepository(Category) private readonly table: Repository<Category>,
    private readonly categories: CategoriesService,
    private readonly changes: Changes,
  ) {}

  async add(): Promise<void> {
    if (await this.table.exists()) return;
    for (const name of NAMES) await this.categories.create({ name }, this.changes);
  }
}
