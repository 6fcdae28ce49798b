import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EventsModule } from '../platform/index.js';
import { PetsModule } from '../pets/pets.module.js';
import { CategoriesController } from './categories.controller.js';
import { CategoriesService } from './categories.service.js';
import { CATEGORY_CREATED, CATEGORY_DELETED, CATEGORY_UPDATED } from './category.events.js';
import { Category } from './category.entity.js';
import { CategorySamples } from './category.samples.js';

@Module({
  imports: [TypeOrmModule.forFeature([Category]), PetsModule, EventsModule],
  controllers: [CategoriesController],
  providers: [CategoriesService, CategorySamples],
})
export class CategoriesModule {
  static readonly scopes = ['categories:read', 'categories:write'] as const;
  static readonly events = [CATEGORY_CREATED, CATEGORY_UPDATED, CATEGORY_DELETED];
}
