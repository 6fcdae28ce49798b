import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type FindOneOptions, Repository } from 'typeorm';
import {
  type Changes,
  IfMatchCondition,
  findById,
  type Int64,
  keysetPage,
  type Page,
  type PageRequest,
  violatedConstraint,
} from '../platform/index.js';
import type { PetResponse } from '../pets/dto/pet.response.js';
import type { PetsPageQuery } from '../pets/dto/list-pets.query.js';
import { PetsService } from '../pets/pets.service.js';
import { assertNoCycle, lockCategories } from './category-tree.js';
import { Category } from './category.entity.js';
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
    private readonly pets: PetsService,
  ) {}

  async list(query: PageRequest): Promise<Page<CategoryResponse>> {
    const page = await keysetPage(this.categories, query);
    return page.map((category) => CategoryResponse.from(category));
  }

  /** @throws CategoryNotFound */
  async get(id: Int64): Promise<CategoryResponse> {
    return CategoryResponse.from(await find(this.categories, id));
  }

  /** Excludes pets of its subcategories. @throws CategoryNotFound, InvalidCursor */
  async listPets(id: Int64, query: PetsPageQuery): Promise<Page<PetResponse>> {
    await find(this.categories, id);
    const { limit, cursor, sort, status } = query;
    return this.pets.list({ limit, cursor, sort, status, categoryId: id });
  }

  /** @throws CategoryNameTaken, ParentCategoryNotFound */
  async create({ name, parentId }: CreateCategoryDto, changes: Changes): Promise<CategoryResponse> {
    const category = { name, parentId: parentId ?? null };
    const insert = (changes: Changes) => changes.insert(Category, category, CATEGORY_CREATED);
    const insertBelow = async (changes: Changes) => {
      await lockCategories(changes);
      return insert(changes);
    };
    // Without a parent it waits for nothing but a name, so it cannot take part in a deadlock.
    const created = parentId === undefined ? insert(changes) : changes.transaction(insertBelow);
    return CategoryResponse.from(await created.catch(rethrowAsCategoryError(category)));
  }

  /**
   * @throws CategoryNotFound, PreconditionFailed, CategoryNameTaken, ParentCategoryNotFound, CategoryCycle
   */
  async update(
    id: Int64,
    change: UpdateCategoryDto,
    changes: Changes,
    condition = IfMatchCondition.any,
  ): Promise<CategoryResponse> {
    const updated = changes.transaction(async (changes) => {
      // Only what may move the category locks the tree, so that other changes do not wait for one another.
      if (change.parentId !== undefined) await lockCategories(changes);
      const category = await lock(changes, id, condition, 'for_no_key_update');
      const { parentId = category.parentId } = change;
      if (parentId !== null && parentId !== category.parentId) await assertNoCycle(changes, id, parentId);
      return changes.update(Category, category, change, CATEGORY_UPDATED);
    });
    return CategoryResponse.from(await updated.catch(rethrowAsCategoryError(change)));
  }

  /** @throws CategoryNotFound, PreconditionFailed, CategoryHasChildren */
  remove(id: Int64, changes: Changes, condition = IfMatchCondition.any): Promise<void> {
    return changes.transaction(async (changes) => {
      const category = await lock(changes, id, condition, 'pessimistic_write');
      if (await changes.manager.existsBy(Category, { parentId: id })) throw new CategoryHasChildren(id);
      await changes.delete(Category, category, CATEGORY_DELETED);
    });
  }
}

async function find(
  categories: Repository<Category>,
  id: Int64,
  options?: Pick<FindOneOptions<Category>, 'lock'>,
): Promise<Category> {
  const category = await findById(categories, id, options);
  if (!category) throw new CategoryNotFound(id);
  return category;
}

const categoriesOf = ({ manager }: Changes) => manager.getRepository(Category);

async function lock(
  changes: Changes,
  id: Int64,
  condition: IfMatchCondition,
  mode: 'for_no_key_update' | 'pessimistic_write',
): Promise<Category> {
  const category = await find(categoriesOf(changes), id, { lock: { mode } });
  condition.check(CategoryResponse.from(category));
  return category;
}

/** Translates constraint violations: a name that is taken, or a parent that does not exist. */
const rethrowAsCategoryError =
  ({ name = '', parentId }: UpdateCategoryDto) =>
  (error: unknown): never => {
    const constraint = violatedConstraint(error);
    if (constraint === 'categories_name_key') throw new CategoryNameTaken(name);
    if (constraint === 'categories_parent_id_fkey' && parentId != null)
      throw new ParentCategoryNotFound(parentId);
    throw error;
  };
