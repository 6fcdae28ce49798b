import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, QueryFailedError, Repository } from 'typeorm';
import { keysetPage } from '../database/pagination/keyset.js';
import type { EventType } from '../events/event-type.js';
import { EventsService } from '../events/events.service.js';
import { ExpectedVersion } from '../kernel/expected-version.js';
import type { Int64 } from '../kernel/json/int64.js';
import type { Page, PageRequest } from '../kernel/pagination/page.js';
import type { PetResponse } from '../pets/dto/pet.response.js';
import { PetsService } from '../pets/pets.service.js';
import { expectParent, lockTree } from './category-tree.js';
import { Category, nameKeyOf } from './category.entity.js';
import { CategoryHasChildren, CategoryNameTaken, CategoryNotFound } from './category.errors.js';
import { CATEGORY_CREATED, CATEGORY_DELETED, CATEGORY_UPDATED } from './category.events.js';
import { CategoryResponse } from './dto/category.response.js';
import type { CreateCategoryDto } from './dto/create-category.dto.js';
import type { UpdateCategoryDto } from './dto/update-category.dto.js';

@Injectable()
export class CategoriesService {
  constructor(
    @InjectRepository(Category) private readonly categories: Repository<Category>,
    private readonly events: EventsService,
    private readonly pets: PetsService,
  ) {}

  async list(query: PageRequest): Promise<Page<CategoryResponse>> {
    const page = await keysetPage(this.categories, query);
    return page.map((category) => CategoryResponse.from(category));
  }

  /** @throws CategoryNotFound */
  async get(id: Int64): Promise<CategoryResponse> {
    return CategoryResponse.from(await find(this.categories.manager, id));
  }

  /** Those of the categories below it are not among them. @throws CategoryNotFound, InvalidCursor */
  async listPets(id: Int64, query: PageRequest): Promise<Page<PetResponse>> {
    await find(this.categories.manager, id);
    return this.pets.listOfCategory(id, query);
  }

  /** @throws CategoryNameTaken, ParentCategoryNotFound */
  create({ name, parentId }: CreateCategoryDto): Promise<CategoryResponse> {
    return this.change(name, async (manager) => {
      if (parentId !== undefined) await expectParent(manager, parentId);
      const category = manager.create(Category, {
        name,
        nameKey: nameKeyOf(name),
        parentId: parentId ?? null,
      });
      return this.record(manager, CATEGORY_CREATED, await manager.save(category));
    });
  }

  /** @throws CategoryNotFound, PreconditionFailed, CategoryNameTaken, ParentCategoryNotFound, CategoryCycle */
  update(id: Int64, change: UpdateCategoryDto, expected = ExpectedVersion.any): Promise<CategoryResponse> {
    return this.change(change.name, async (manager) => {
      const category = await find(manager, id, expected);
      const { name = category.name, parentId = category.parentId } = change;
      if (name === category.name && parentId === category.parentId) return CategoryResponse.from(category);
      if (parentId !== null && parentId !== category.parentId) await expectParent(manager, parentId, id);
      // A name that was there before the present rule keeps the key that it was given.
      const nameKey = name === category.name ? category.nameKey : nameKeyOf(name);
      const changed = { name, nameKey, parentId };
      await manager.update(Category, { id }, changed);
      return this.record(manager, CATEGORY_UPDATED, { id, ...changed });
    });
  }

  /** @throws CategoryNotFound, PreconditionFailed, CategoryHasChildren */
  async remove(id: Int64, expected = ExpectedVersion.any): Promise<void> {
    await this.change(undefined, async (manager) => {
      const category = await find(manager, id, expected);
      if (await manager.existsBy(Category, { parentId: id })) throw new CategoryHasChildren(id);
      await manager.delete(Category, { id });
      return this.record(manager, CATEGORY_DELETED, category);
    });
  }

  private async change(
    name: string | undefined,
    work: (manager: EntityManager) => Promise<CategoryResponse>,
  ): Promise<CategoryResponse> {
    try {
      return await this.categories.manager.transaction(async (manager) => {
        await lockTree(manager);
        return work(manager);
      });
    } catch (error) {
      throw name !== undefined && isNameTaken(error) ? new CategoryNameTaken(name) : error;
    }
  }

  private async record(
    manager: EntityManager,
    event: EventType<CategoryResponse>,
    category: Category,
  ): Promise<CategoryResponse> {
    const response = CategoryResponse.from(category);
    await this.events.record(manager, event, response);
    return response;
  }
}

async function find(manager: EntityManager, id: Int64, expected = ExpectedVersion.any): Promise<Category> {
  const category = await manager.findOneBy(Category, { id });
  if (!category) throw new CategoryNotFound(id);
  expected.check(CategoryResponse.from(category));
  return category;
}

function isNameTaken(error: unknown): boolean {
  if (!(error instanceof QueryFailedError)) return false;
  const { code, constraint } = error.driverError as { readonly code?: string; readonly constraint?: string };
  return code === '23505' && constraint === 'categories_name_key';
}
