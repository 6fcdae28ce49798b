import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, QueryFailedError, Repository } from 'typeorm';
import { keysetPage } from '../database/pagination/keyset.js';
import type { EventType } from '../events/event-type.js';
import { EventsService } from '../events/events.service.js';
import { etagOf } from '../http/conditional/etag.js';
import { checkIfMatch } from '../http/conditional/if-match.js';
import type { PageQuery } from '../http/pagination/page-query.js';
import { expectSomeChange } from '../http/validation/partial-update.js';
import { type Int64, parseInt64 } from '../kernel/json/int64.js';
import type { Page } from '../kernel/pagination/page.js';
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
  ) {}

  async list(query: PageQuery): Promise<Page<CategoryResponse>> {
    const page = await keysetPage(this.categories, query);
    return page.map((category) => CategoryResponse.from(category));
  }

  /** @throws CategoryNotFound when no category has the id, or when it is not an id */
  async get(categoryId: string): Promise<CategoryResponse> {
    return CategoryResponse.from(await find(this.categories.manager, categoryId));
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

  /**
   * @param ifMatch the request's `If-Match` header
   * @throws CategoryNotFound, CategoryNameTaken, ParentCategoryNotFound, CategoryCycle, PreconditionFailed
   */
  async update(categoryId: string, change: UpdateCategoryDto, ifMatch?: string): Promise<CategoryResponse> {
    expectSomeChange(change, ['name', 'parentId']);
    return this.change(change.name, async (manager) => {
      const category = await find(manager, categoryId, ifMatch);
      const { id } = category;
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

  /** @throws CategoryNotFound, CategoryHasChildren, PreconditionFailed */
  async remove(categoryId: string, ifMatch?: string): Promise<void> {
    await this.change(undefined, async (manager) => {
      const category = await find(manager, categoryId, ifMatch);
      const { id } = category;
      if (await manager.existsBy(Category, { parentId: id })) throw new CategoryHasChildren(categoryId);
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

async function find(manager: EntityManager, categoryId: string, ifMatch?: string): Promise<Category> {
  const id: Int64 | undefined = parseInt64(categoryId);
  const category = id === undefined ? null : await manager.findOneBy(Category, { id });
  if (!category) throw new CategoryNotFound(categoryId);
  checkIfMatch(ifMatch, etagOf(CategoryResponse.from(category)));
  return category;
}

function isNameTaken(error: unknown): boolean {
  if (!(error instanceof QueryFailedError)) return false;
  const { code, constraint } = error.driverError as { readonly code?: string; readonly constraint?: string };
  return code === '23505' && constraint === 'categories_name_key';
}
