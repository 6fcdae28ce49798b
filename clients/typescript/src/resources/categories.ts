import type { Listing } from '../listing.js';
import type { Query } from '../operations.js';
import type { ChangeOptions, ReadOptions, RequestOptions, Transport, WriteOptions } from '../transport.js';
import type { Category, CategoryChange, NewCategory, Pet } from '../types.js';

export type CategoryQuery = Query<'listCategories'>;

/** Categories of pets. */
export class Categories {
  constructor(private readonly transport: Transport) {}

  /** Every category once, in ascending order of `id`. */
  list(query: CategoryQuery = {}, options?: RequestOptions): Listing<Category> {
    return this.transport.list('listCategories', query, options);
  }

  /**
   * Adds a category, once however often that has to be tried.
   * @throws ConflictError if the name is taken
   */
  create(category: NewCategory, options?: WriteOptions): Promise<Category> {
    return this.transport.call('createCategory', { body: category }, options);
  }

  /** @throws NotFoundError if the id is unknown */
  get(categoryId: bigint, options?: ReadOptions): Promise<Category> {
    return this.transport.call('getCategory', { path: { categoryId } }, options);
  }

  /**
   * Changes a category: what `change` does not name stays, and a `parentId` of null moves it to the top.
   * @throws ConflictError if the name is taken, or the category would be below itself
   */
  update(categoryId: bigint, change: CategoryChange, options?: ChangeOptions): Promise<Category> {
    return this.transport.call('updateCategory', { path: { categoryId }, body: change }, options);
  }

  /** Leaves its pets. @throws ConflictError if others are below it */
  async remove(categoryId: bigint, options?: ChangeOptions): Promise<void> {
    await this.transport.call('deleteCategory', { path: { categoryId } }, options);
  }

  /** Every pet of a category once, in ascending order of `id`. */
  pets(categoryId: bigint, query: CategoryQuery = {}, options?: RequestOptions): Listing<Pet> {
    return this.transport.list('listPetsOfCategory', query, options, { categoryId });
  }
}
