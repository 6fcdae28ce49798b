import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, type FindOneOptions, Repository } from 'typeorm';
import {
  Changes,
  ExpectedVersion,
  type Int64,
  keysetPage,
  type Page,
  type PageRequest,
  violatedConstraint,
} from '../platform.js';
import type { PetResponse } from '../pets/dto/pet.response.js';
import { PetsService } from '../pets/pets.service.js';
import { expectNoCycle, lockCategories } from './category-tree.js';
import { Category, nameKeyOf } from './category.entity.js';
import {
  CategoryHasChildren,
  CategoryNameTaken,
  CategoryNotFound,
  ParentCategoryNotFound,
} from './category.errors.js';
import { CATEGORY_CREATED, CATEGORY_DELETED, CATEGORY_UPDATED } from './category.events.js';
import { CategoryResponse } from './dto/category.response.js';
import type { CreateCategoryDto } from './dto/create-category.dto.js';
import type { UpdateCategoryDto } from './dto/update-category.dto.js';

@Injectable()
export class CategoriesService {
  constructor(
    @InjectRepository(Category) private readonly categories: Repository<Category>,
    private readonly changes: Changes,
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

  /** Excludes pets of its subcategories. @throws CategoryNotFound, InvalidCursor */
  async listPets(id: Int64, query: PageRequest): Promise<Page<PetResponse>> {
    await find(this.categories.manager, id);
    return this.pets.listOfCategory(id, query);
  }

  /** @throws CategoryNameTaken, ParentCategoryNotFound */
  async create({ name, parentId }: CreateCategoryDto): Promise<CategoryResponse> {
    const category = { name, nameKey: nameKeyOf(name), parentId: parentId ?? null };
    const insert = (changes: Changes) => changes.insert(Category, category, CATEGORY_CREATED);
    const insertBelow = async (manager: EntityManager) => {
      await lockCategories(manager);
      return insert(this.changes.in(manager));
    };
    // Without a parent it waits for nothing but a name, so it cannot take part in a deadlock.
    const created =
      parentId === undefined ? insert(this.changes) : this.categories.manager.transaction(insertBelow);
    return CategoryResponse.from(await created.catch(explain(category)));
  }

  /** @throws CategoryNotFound, PreconditionFailed, CategoryNameTaken, ParentCategoryNotFound, CategoryCycle */
  async update(
    id: Int64,
    change: UpdateCategoryDto,
    expected = ExpectedVersion.any,
  ): Promise<CategoryResponse> {
    const updated = this.categories.manager.transaction(async (manager) => {
      await lockCategories(manager);
      const category = await find(manager, id, expected, 'for_no_key_update');
      const { name = category.name, parentId = category.parentId } = change;
      if (parentId !== null && parentId !== category.parentId) await expectNoCycle(manager, id, parentId);
      // An unchanged name keeps its key, which may predate the current folding rule.
      const nameKey = name === category.name ? category.nameKey : nameKeyOf(name);
      const values = { name, nameKey, parentId };
      return this.changes.in(manager).update(Category, category, values, CATEGORY_UPDATED);
    });
    return CategoryResponse.from(await updated.catch(explain(change)));
  }

  /** @throws CategoryNotFound, PreconditionFailed, CategoryHasChildren */
  async remove(id: Int64, expected = ExpectedVersion.any): Promise<void> {
    const removed = this.categories.manager.transaction(async (manager) => {
      const category = await find(manager, id, expected, 'pessimistic_write');
      if (await manager.existsBy(Category, { parentId: id })) throw new CategoryHasChildren(id);
      await this.changes.in(manager).delete(Category, category, CATEGORY_DELETED);
    });
    await removed;
  }
}

type Lock = 'for_no_key_update' | 'pessimistic_write';

async function find(
  manager: EntityManager,
  id: Int64,
  expected = ExpectedVersion.any,
  mode?: Lock,
): Promise<Category> {
  const options: FindOneOptions<Category> = { where: { id }, ...(mode && { lock: { mode } }) };
  const category = await manager.findOne(Category, options);
  if (!category) throw new CategoryNotFound(id);
  expected.check(CategoryResponse.from(category));
  return category;
}

/** Translates constraint violations: a name that is taken, or a parent that does not exist. */
const explain =
  ({ name = '', parentId }: UpdateCategoryDto) =>
  (error: unknown): never => {
    const constraint = violatedConstraint(error);
    if (constraint === 'categories_name_key') throw new CategoryNameTaken(name);
    if (constraint === 'categories_parent_id_fkey' && parentId != null)
      throw new ParentCategoryNotFound(parentId);
    throw error;
  };
