import type { Listing } from '../listing.js';
import type { Query } from '../operations.js';
import type { ResponseInfo } from '../response-info.js';
import type {
  ChangeOptions,
  ReadOptions,
  RequestOptions,
  Result,
  Transport,
  WriteOptions,
} from '../transport.js';
import type { Category, CategoryChange, NewCategory, Pet } from '../types.js';

export type CategoryQuery<Id = bigint> = Query<'listCategories', Id>;

/** Categories of pets. */
export class Categories<Id = bigint> {
  constructor(private readonly transport: Transport<Id>) {}

  /** All categories in ascending order of `id`. */
  list(query: CategoryQuery<Id> = {}, options?: RequestOptions): Listing<Category<Id>> {
    return this.transport.list('listCategories', query, options);
  }

  /**
   * Adds a category. Retries do not add it twice.
   * @throws ConflictError if the name is taken
   */
  create(category: NewCategory<Id>, options?: WriteOptions): Promise<Result<Category<Id>>> {
    return this.transport.call('createCategory', { body: category }, options);
  }

  /** @throws NotFoundError if the id is unknown */
  get(categoryId: Id, options?: ReadOptions): Promise<Result<Category<Id>>> {
    return this.transport.call('getCategory', { path: { categoryId } }, options);
  }

  /**
   * Changes a category: what `change` does not name stays, and a `parentId` of null moves it to the top.
   * @throws ConflictError if the name is taken, or the category would become its own ancestor
   */
  update(categoryId: Id, change: CategoryChange<Id>, options?: ChangeOptions): Promise<Result<Category<Id>>> {
    return this.transport.call('updateCategory', { path: { categoryId }, body: change }, options);
  }

  /** Removes a category, but not its pets. @throws ConflictError if others are below it */
  remove(categoryId: Id, options?: ChangeOptions): Promise<ResponseInfo> {
    return this.transport.send('deleteCategory', { path: { categoryId } }, options);
  }

  /** All pets of a category in ascending order of `id`. */
  pets(categoryId: Id, query: CategoryQuery<Id> = {}, options?: RequestOptions): Listing<Pet<Id>> {
    return this.transport.list('listPetsOfCategory', query, options, { categoryId });
  }
}
